#!/usr/bin/env python3
"""Run every scenario to its end, and print size, time and PSNR as the Markdown table of docs/first-prism.md.

    python3 scenarios.py --cli build/src/cli/prism-cli [--side 256] [--jobs 1] [--output FOLDER] [--set key=value]...

With --side the field has fewer pixels of the same size at the object: an object of a quarter of the field, and an
aperture that visits the same pupil. Seconds are of the processor, of all threads; “through the pupil” is the PSNR of the target
as that pupil lets it through, without noise; what an image leaves of the frames is 1 time the noise where it explains
them. A result that is in FOLDER is kept. Needs numpy.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

import numpy as np

FIELD = 512  # px, of a scenario


def ask(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def shrink(cli, name, side):
    """What a scenario of fewer pixels has in place of its own."""
    config = json.loads(ask([cli, "run", "--scenario", name, "--dry-run", "--json"]))["config"]
    part = side / FIELD
    return {"image_size": side, "object_size": side // 4, "dxf": float(config["dxf"]) / part,
            "aperture_radius": float(config["aperture_radius"]) * part, "roi": int(int(config["roi"]) * part)}


def get_best(folder, config):
    """PSNR of the target without the waves that the pupil stops, dB."""
    target = np.load(folder / "target.npy")
    n, side = int(config["image_size"]), len(target)
    field = np.zeros((n, n))
    inner = slice((n - side) // 2, (n + side) // 2)
    field[inner, inner] = target
    y, x = np.mgrid[:n, :n] - n // 2
    passes = np.hypot(x, y) <= 4 * float(config["aperture_radius"])
    seen = np.abs(np.fft.ifft2(np.fft.fft2(field) * np.fft.ifftshift(passes)))[inner, inner]
    return -10 * np.log10(((seen.clip(0, 1) - target)**2).mean())


def run(a, name):
    folder = pathlib.Path(a.output) / name
    seconds = folder.parent / f"{name}.seconds"
    if not seconds.exists():
        settings = [f"--set={key}={value}" for key, value in shrink(a.cli, name, a.side).items() if a.side != FIELD]
        with open(folder.parent / f"{name}.log", "w", encoding="utf-8") as log:
            worker = subprocess.Popen([a.cli, "run", "--scenario", name, "--quiet", "--output", folder, *settings,
                                       *(f"--set={s}" for s in a.set)], stderr=log)
            _, status, used = os.wait4(worker.pid, 0)
        if status != 0:
            return f"| `{name}` | {a.side} | – | – | – | – | {pathlib.Path(log.name).read_text().strip()} |"
        seconds.write_text(f"{used.ru_utime + used.ru_stime:.0f}")
    summary = json.loads((folder / "summary.json").read_text())
    verdict, blur = summary["verdict"], float(summary["configuration"]["motion_blur"])
    config = summary["configuration"]
    return (f"| `{name}` | {config['image_size']} | {seconds.read_text()} | {summary['final']['psnr']:.1f}"
            f" | {get_best(folder, config):.1f} | {blur:.1f} | {verdict['kind']}, {verdict['rest']:.2f} |")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--cli", required=True)
    p.add_argument("--side", type=int, default=FIELD)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--output", default="scenarios")
    p.add_argument("--set", action="append", default=[])
    a = p.parse_args()
    pathlib.Path(a.output).mkdir(exist_ok=True)
    names = re.findall(r"^(\w+) {2,}", ask([a.cli, "run", "--list-scenarios"]), re.M)
    print("| scenario | field, px | CPU, s | PSNR, dB | through the pupil, dB | blur, px | frames, times the noise |\n" + "|---" * 7 + "|")
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for row in pool.map(lambda name: run(a, name), names):
            print(row, flush=True)


if __name__ == "__main__":
    main()
