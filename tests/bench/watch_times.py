#!/usr/bin/env python3
"""What a frame costs “watch” when so many are there: wall and CPU time from its file to its prediction.

    python3 watch_times.py --cli build/src/cli/prism-cli FRAMES [TABLE] [--at 40,121,219] [--times 5]

FRAMES are replayed into a folder, the last ones wait outside. When nothing is left to do one of them moves in. Prints
medians, and what of the wall is the wait until a file stands still (60 ms).
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time


def get_cpu(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_idle(pid):
    used = -1.0
    while get_cpu(pid) - used > 0.011:
        used = get_cpu(pid)
        time.sleep(1.5)


def measure(a, folder, n):
    camera, away = folder / "camera", folder / "away"
    away.mkdir(exist_ok=True)
    frames = sorted([*camera.glob("frame_*"), *away.glob("frame_*")], key=lambda p: p.name)
    for i, path in enumerate(frames):
        path.rename((camera if i < n else away) / path.name)
    with subprocess.Popen([a.cli, "watch", camera, "--positions", camera / "leds.csv", "--recipe", camera / "recipe.prism",
                           "--json", "--output", folder / "out"], stdout=subprocess.PIPE, text=True) as watch:
        costs = []
        for i in range(n, n + a.times):
            wait_until_idle(watch.pid)
            began, used = time.monotonic(), get_cpu(watch.pid)
            (away / frames[i].name).rename(camera / frames[i].name)
            for line in watch.stdout:
                event = json.loads(line)
                if event["event"] == "frame" and event["file"] == frames[i].name:
                    break
            costs.append((time.monotonic() - began, get_cpu(watch.pid) - used))
        watch.kill()
    print(f"{n} frames: wall {statistics.median(c[0] for c in costs) * 1000:.0f} ms, CPU "
          f"{statistics.median(c[1] for c in costs) * 1000:.0f} ms (medians of {a.times})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("frames")
    parser.add_argument("table", nargs="?")
    parser.add_argument("--at", default="40,121,219", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--times", type=int, default=5)
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = ["--positions", a.table] if a.table else []
        subprocess.run([a.cli, "replay", a.frames, pathlib.Path(folder) / "camera", "--rate", "1000", *table], check=True)
        for n in a.at:
            measure(a, pathlib.Path(folder), n)


if __name__ == "__main__":
    main()
