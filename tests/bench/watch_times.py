#!/usr/bin/env python3
"""What a frame costs “watch”: from its file in the folder to its prediction, and of that what it waits for a processor.

    python3 watch_times.py --cli build/src/cli/prism-cli FRAMES [TABLE] [--at 40,121,219] [--times 5] [--rate 10]

FRAMES are replayed into a folder, the last ones wait outside. When nothing is left to do one of them moves in. Prints
medians of wall time, CPU time of all threads, and of the wall what its main thread was ready and got no processor
(/proc/PID/task/*/schedstat). Then all frames come at a rate, to a program that has other things to do meanwhile.
"""
import argparse
import bisect
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import threading
import time


def get_times(pid):
    """s on a processor, of all threads, and s that the main thread waited for one"""
    threads = [[int(n) for n in path.read_text().split()] for path in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return 1e-9 * sum(t[0] for t in threads), 1e-9 * int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[1])


def wait_until_idle(pid):
    used = -1.0
    while get_times(pid)[0] - used > 0.02:
        used = get_times(pid)[0]
        time.sleep(1.5)


def watch(a, camera, out):
    return subprocess.Popen([a.cli, "watch", camera, "--positions", camera / "leds.csv", "--recipe", camera / "recipe.prism",
                             "--json", "--output", out], stdout=subprocess.PIPE, text=True)


def measure(a, folder, n):
    camera, away = folder / "camera", folder / "away"
    away.mkdir(exist_ok=True)
    frames = sorted([*camera.glob("frame_*"), *away.glob("frame_*")], key=lambda p: p.name)
    for i, path in enumerate(frames):
        path.rename((camera if i < n else away) / path.name)
    with watch(a, camera, folder / "out") as process:
        costs = []
        for i in range(n, n + a.times):
            wait_until_idle(process.pid)
            began, (used, waited) = time.monotonic(), get_times(process.pid)
            (away / frames[i].name).rename(camera / frames[i].name)
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "frame" and event["file"] == frames[i].name:
                    break
            after = get_times(process.pid)
            costs.append((time.monotonic() - began, after[0] - used, after[1] - waited))
        process.kill()
    wall, cpu, waited = (1000 * statistics.median(c[k] for c in costs) for k in range(3))
    print(f"{n} frames: wall {wall:.0f} ms, CPU {cpu:.0f} ms, without a processor {waited:.0f} ms (medians of {a.times})", flush=True)


def measure_rate(a, folder, replay):
    camera, waits = folder / "rate", []

    def note_waits(process):
        while process.poll() is None:
            try:
                waits.append((time.time(), get_times(process.pid)[1]))
            except (FileNotFoundError, IndexError, ProcessLookupError):
                return
            time.sleep(0.004)

    with subprocess.Popen([*replay, camera, "--rate", str(a.rate)], stdout=subprocess.DEVNULL):
        while not (camera / "recipe.prism").exists():
            time.sleep(0.01)
        with watch(a, camera, folder / "out") as process:
            threading.Thread(target=note_waits, args=[process]).start()
            came, told, pictured = [], [], 0
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "picture" and not pictured:
                    pictured = event["seconds"]
                if event["event"] == "frame":
                    came.append((camera / event["file"]).stat().st_ctime)
                    told.append(time.time())
    moments = [w[0] for w in waits]
    late = sorted(1000 * (t - c) for c, t in zip(came, told))
    waited = [waits[min(bisect.bisect(moments, t), len(waits) - 1)][1] - waits[max(bisect.bisect(moments, c) - 1, 0)][1] for c, t in zip(came, told)]
    ready = sorted(1000 * max(t - c - w, 0) for c, t, w in zip(came, told, waited))
    print(f"{a.rate:g} a second: first picture after {pictured:.2f} s")
    for name, values in ("as it was", late), ("without what it had no processor", ready):
        print(f"{name}: median {statistics.median(values):.0f} ms, one in ten {values[len(values) * 9 // 10]:.0f} ms, "
              f"{sum(one > 100 for one in values)} of {len(values)} over 100 ms, the latest {values[-1]:.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True)
    parser.add_argument("frames")
    parser.add_argument("table", nargs="?")
    parser.add_argument("--at", default="40,121,219", type=lambda text: [int(n) for n in text.split(",") if n])
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--rate", type=float, default=10)
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        replay = [a.cli, "replay", a.frames, *(["--positions", a.table] if a.table else [])]
        subprocess.run([*replay, pathlib.Path(folder) / "camera", "--rate", "1000"], check=True, stdout=subprocess.DEVNULL)
        for n in a.at:
            measure(a, pathlib.Path(folder), n)
        measure_rate(a, pathlib.Path(folder), replay)


if __name__ == "__main__":
    main()
