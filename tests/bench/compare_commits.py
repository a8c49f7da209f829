#!/usr/bin/env python3
"""Run the same configurations with an older commit and with this one, in turns, and compare images, PSNR and time.

    python3 compare_commits.py --cli build/src/cli/prism-cli --old COMMIT-or-prism-cli [--rounds 1] [--strict]
                               [--configurations default,epie] [--set key=value]... [--now key=value]...

--old is a prism-cli that was built before, or a commit, which is then built without its window in a temporary
directory. The configurations are small and together use every method, loss, memory, finish, kind of noise, lines and
recomputing. A row says whether the images have the same bits, both PSNR in dB, and the median seconds of each with
their ratio; several --rounds take turns. --now sets what the older one does not have, such as effort=full. With
--strict the exit status is 1 when any image differs.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]
COMMON = ["backend=cpu", "threads=1", "image_size=128", "object_size=48", "samples=16", "steps=12", "start_steps=30",
          "polish=20", "aperture_radius=14"]
LARGER = ["image_size=256", "object_size=96", "samples=6", "steps=6"]
CONFIGURATIONS = {
    "default": [],
    "shot-noise": ["snr=20"],
    "read-noise-epie-finish": ["snr=20", "read_snr=25", "finish=epie"],
    "epie": ["algorithm=epie", "passes=8"],
    "mopie": ["algorithm=mopie", "line_length=8", "passes=4"],
    "mopie-serial": ["algorithm=mopie", "line_length=8", "line_points=fast", "line_direction=random",
                       "mopie_update=serial", "passes=4"],
    "lines": ["line_length=6", "line_points=fast", "steps=5"],
    "l2-self": ["loss=l2", "memory=self", "weight_decay=0.01", "clip_norm=1"],
    "ssim-all": ["loss=ssim", "memory=all", "amsgrad=on"],
    "ms-ssim": ["loss=ms-ssim", "replay=6", *LARGER],
    "composite-convergence": ["loss=composite", "weight_l2=0.2", "weight_ms_ssim=0.1", "schedule=plateau",
                               "convergence=on", "threshold=0.05", *LARGER],
}


def build(commit, folder):
    """Build the command line program of a commit and return its path."""
    source = folder / "source"
    subprocess.run(["git", "clone", "--quiet", "--no-checkout", str(ROOT), str(source)], check=True)
    subprocess.run(["git", "-C", str(source), "checkout", "--quiet", commit], check=True)
    subprocess.run(["meson", "setup", "build", "-Dapp=disabled", "-Dcuda=disabled"], cwd=source, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", "build", "src/cli/prism-cli"], cwd=source, check=True, stdout=subprocess.DEVNULL)
    return source / "build/src/cli/prism-cli"


def run(cli, settings, out):
    """Run one configuration; return the image's bytes, the PSNR and the seconds."""
    command = [str(cli), "run", "--quiet", "--output", str(out)]
    for setting in settings:
        command += ["--set", setting]
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - start
    summary = json.loads((out / "summary.json").read_text())
    return (out / "reconstruction.npy").read_bytes(), summary["final"]["psnr"], seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True, type=pathlib.Path)
    parser.add_argument("--old", required=True)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--configurations", default=",".join(CONFIGURATIONS))
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--now", action="append", default=[])
    parser.add_argument("--strict", action="store_true")
    a = parser.parse_args()
    names = a.configurations.split(",")
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        old = pathlib.Path(a.old) if pathlib.Path(a.old).is_file() else build(a.old, folder)
        print("| configuration | image | PSNR before | now | seconds before | now | ratio |\n" + "|---" * 7 + "|")
        for name in names:
            results = [[run(cli, COMMON + CONFIGURATIONS[name] + a.set + more, folder / f"out-{which}")
                        for which, cli, more in (("old", old, []), ("new", a.cli, a.now))] for _ in range(a.rounds)]
            before, now = results[0]
            same = before[0] == now[0]
            different += not same
            times = [statistics.median(r[k][2] for r in results) for k in (0, 1)]
            print(f"| {name} | {'same bits' if same else 'differs'} | {before[1]:.2f} | {now[1]:.2f} "
                  f"| {times[0]:.2f} | {times[1]:.2f} | {times[0] / times[1]:.2f} |", flush=True)
    print(f"\n{different} of {len(names)} images differ.")
    return int(a.strict and different > 0)


if __name__ == "__main__":
    sys.exit(main())
