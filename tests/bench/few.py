#!/usr/bin/env python3
"""Reconstruct from few measurements with an older program and with this one, and print both as Markdown tables.

    python3 few.py --cli build/src/cli/prism-cli [--old prism-cli] [--photograph FILE] [--seeds 3] [--jobs 1]
                   [--objects moon,bars] [--radii 8,6,5,4] [--noise 0,20,10] [--set key=value]... [--rows results.csv]

100 Fermat samples over the whole field, object 64 px in 256 px, everything else as the program has it; noise in dB (0:
none). The seeds are those of the training and of random starts: all see the same measurements. The bars are black and
white alone, the built-in chart has grey edges. A cell is the median PSNR in dB, the lowest in brackets, and the median
seconds of processor time of the older program · of this one. --rows keeps every run as a line of CSV and resumes from it.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile

import kept_rows

COMMON = {"image_size": 256, "object_size": 64, "samples": 100, "threads": 1, "backend": "cpu"}
BARS = ((4, 4, 4, 20, 1), (4, 30, 4, 20, 0), (30, 4, 3, 15, 1), (30, 24, 3, 15, 0), (30, 44, 2, 10, 1),
        (44, 44, 2, 10, 0), (50, 6, 1, 5, 1), (50, 14, 1, 5, 0), (52, 24, 2, 10, 1))  # top, left, width, length, upright
KEY = ["program", "object", "radius", "snr", "seed"]
FIELDS = KEY + ["psnr", "misfit", "processor"]
TYPES = {"radius": int, "snr": int, "seed": int, "psnr": float, "processor": float}


def write_bars(path):
    """Groups of three bars, white on black, 64 × 64, as .npy."""
    m = 64
    rows = [[0.0] * m for _ in range(m)]
    for top, left, width, length, upright in BARS:
        for bar in range(3):
            y, x = (top, left + 2 * width * bar) if upright else (top + 2 * width * bar, left)
            high, wide = (length, width) if upright else (width, length)
            for i in range(y, y + high):
                rows[i][x:x + wide] = [1.0] * wide
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({m}, {m}), }}".ljust(117) + "\n"
    values = struct.pack(f"<{m * m}f", *(v for row in rows for v in row))
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values)


def run_one(a, programs, objects, task):
    program, name, radius, snr, seed = task
    settings = {**COMMON, "object": objects[name], "aperture_radius": radius, "snr": snr, "training_seed": seed}
    settings.update(s.split("=", 1) for s in a.set if program == "new")
    with tempfile.TemporaryDirectory() as folder:
        command = [programs[program], "run", "--quiet", "--output", folder]
        command += [f"--set={k}={v}" for k, v in settings.items()]
        with open(pathlib.Path(folder) / "log", "w+") as log:
            child = subprocess.Popen(command, stdout=log, stderr=log)
            _, status, usage = os.wait4(child.pid, 0)
            if status != 0:
                log.seek(0)
                sys.exit(f"few.py: {' '.join(command)}:\n{log.read()}")
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
    return dict(zip(FIELDS, [*task, summary["final"]["psnr"], summary["misfit"], usage.ru_utime + usage.ru_stime]))


def format_cell(rows):
    if not rows:
        return "–"
    values = [r["psnr"] for r in rows]
    lowest = f" ({min(values):.1f})" if len(values) > 1 else ""
    return f"{statistics.median(values):.1f}{lowest}, {statistics.median(r['processor'] for r in rows):.1f} s"


def print_tables(rows, programs, objects, radii, noise):
    for snr in noise:
        print(f"| {'no noise' if snr == 0 else f'{snr} dB'} | {' | '.join(f'r {r}' for r in radii)} |")
        print("|---" * (len(radii) + 1) + "|")
        for name in objects:
            cells = [" · ".join(format_cell([r for r in rows if (r["program"], r["object"], r["radius"], r["snr"])
                                             == (program, name, radius, snr)]) for program in programs)
                     for radius in radii]
            print(f"| {name} | {' | '.join(cells)} |")
        print()


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--cli", required=True)
    p.add_argument("--old")
    p.add_argument("--photograph")
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--objects")
    p.add_argument("--radii", default="8,6,5,4")
    p.add_argument("--noise", default="0,20,10")
    p.add_argument("--set", action="append", default=[])
    p.add_argument("--rows")
    a = p.parse_args()
    programs = {"old": a.old, "new": a.cli} if a.old else {"new": a.cli}
    with tempfile.TemporaryDirectory() as folder:
        bars = pathlib.Path(folder) / "bars.npy"
        write_bars(bars)
        objects = {"moon": "moon", "bars": str(bars)}
        if a.photograph:
            objects["photograph"] = a.photograph
        if a.objects:
            objects = {name: objects[name] for name in a.objects.split(",")}
        radii = [int(r) for r in a.radii.split(",")]
        noise = [int(s) for s in a.noise.split(",")]
        rows = kept_rows.load(a.rows, TYPES)
        have = {tuple(r[k] for k in KEY) for r in rows}
        tasks = [t for t in ((p, o, r, s, seed) for seed in range(a.seeds) for s in noise for r in radii
                             for o in objects for p in programs) if t not in have]
        with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            for row in pool.map(lambda t: run_one(a, programs, objects, t), tasks):
                rows.append(row)
                kept_rows.append(a.rows, row)
    print_tables(rows, programs, objects, radii, noise)


if __name__ == "__main__":
    main()
