#!/usr/bin/env python3
"""Reconstruct every built-in object by every method over aperture and noise, and print Markdown tables.

    python3 quality.py --program build/src/cli/prism-cli [--photograph FILE] [--seeds 1] [--jobs 1]
                       [--objects moon,bars] [--radii 20,10] [--noise 0,20] [--methods default,epie]
                       [--set key=value]... [--rows rows.csv] [--only-rows]

Object 64 px in a field of 256 px, 100 Fermat positions, one thread, everything else as the program has it. A figure is
the amplitude PSNR in dB, of several seeds the median with the lowest in brackets; seconds are of processor time. A
picture counts as found that is within 3 dB of the best that any run here made of the same object and noise with this
aperture or a smaller one, or above 40 dB, and never below 28 dB; a verdict is wrong that says otherwise, and an
ambiguous one says nothing. --rows keeps every run as a line of CSV and resumes from it.
"""
import argparse
import concurrent.futures
import csv
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).parents[1] / "data"
OBJECTS = {"moon": str(DATA / "moon64.npy"), "ice moon": "ice-moon", "bars": "usaf1951", "star": "siemens",
           "points": "points", "checks": "checkerboard", "phantom": "shepp-logan", "text": "text"}
METHODS = {"default": {}, "decoder": {"method": "decoder"}, "published": {"method": "decoder", "start": "published"},
           "epie": {"method": "epie", "passes": 40}, "python": {"@preset": "python-prism"}}
COMMON = {"image_size": 256, "object_size": 64, "samples": 100, "threads": 1, "backend": "cpu"}
FIELDS = {"object": str, "noise": int, "radius": int, "method": str, "seed": int, "psnr": float, "verdict": str,
          "coverage": float, "seconds": float}
NEAR, GOOD, LEAST = 3, 40, 28  # dB


def read_rows(path):
    if path is None or not pathlib.Path(path).exists():
        return []
    with open(path, newline="") as f:
        return [{k: convert(r[k]) for k, convert in FIELDS.items()} for r in csv.DictReader(f)]


def append_row(path, row):
    if path is None:
        return
    new = not pathlib.Path(path).exists()
    with open(path, "a", newline="") as f:
        writer = csv.DictWriter(f, list(FIELDS))
        if new:
            writer.writeheader()
        writer.writerow(row)


def run_one(a, objects, task):
    noise, radius, name, method, seed = task
    settings = {**METHODS[method], **COMMON, "object": objects[name], "snr": noise, "aperture_radius": radius,
                "seed": seed}
    settings.update(s.split("=", 1) for s in a.set)
    preset = settings.pop("@preset", None)
    with tempfile.TemporaryDirectory() as folder:
        command = [a.program, "run", "--output", folder, *([f"--preset={preset}"] if preset else []),
                   *(f"--set={k}={v}" for k, v in settings.items())]
        log = pathlib.Path(folder) / "log"
        with open(log, "w") as f:
            process = subprocess.Popen(command, stdout=f, stderr=f)
            _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"quality.py: {' '.join(command)}:\n{log.read_text()}")
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
    return dict(zip(FIELDS, [name, noise, radius, method, seed, round(summary["final"]["psnr"], 2),
                             summary["verdict"]["kind"], round(summary["coverage"], 3),
                             round(usage.ru_utime + usage.ru_stime, 1)]))


def is_found(row, rows):
    best = max(r["psnr"] for r in rows
               if (r["object"], r["noise"]) == (row["object"], row["noise"]) and r["radius"] <= row["radius"])
    return row["psnr"] >= LEAST and (row["psnr"] >= best - NEAR or row["psnr"] > GOOD)


def format_values(values):
    if not values:
        return "–"
    median = f"{statistics.median(values):.1f}"
    return median if len(values) == 1 else f"{median} ({min(values):.1f})"


def format_noise(noise):
    return f"{noise} dB" if noise else "no noise"


def print_table(head, rows):
    print(f"\n| {' | '.join(head)} |\n" + "|---" * len(head) + "|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def print_tables(rows, objects, radii, noises, methods):
    cells = list(itertools.product(noises, radii))
    chosen = {(m, *cell): [r for r in rows if (r["method"], r["noise"], r["radius"]) == (m, *cell)]
              for m in methods for cell in cells}
    for m in methods:
        lines = []
        for noise, radius in cells:
            here = chosen[m, noise, radius]
            if not here:
                continue
            seconds = [r["seconds"] for r in here]
            lines.append([f"{format_noise(noise)}, r = {radius} ({100 * here[0]['coverage']:.0f} %)",
                          *(format_values([r["psnr"] for r in here if r["object"] == name]) for name in objects),
                          f"{min(seconds):.1f}–{max(seconds):.0f}"])
        print(f"\n### {m}")
        print_table(["", *objects, "s"], lines)
    print(f"\n### found, false “explained” + false “not explained”: {methods[0]}")
    lines = []
    for radius in radii:
        line = [f"{radius} px"]
        for noise in noises:
            here = chosen[methods[0], noise, radius]
            found = [is_found(r, rows) for r in here]
            false = [sum(r["verdict"] == kind and f == truth for r, f in zip(here, found))
                     for kind, truth in (("explained", False), ("not explained", True))]
            line.append(f"{sum(found)} of {len(here)}, {false[0]} + {false[1]}")
        lines.append(line)
    print_table(["radius", *map(format_noise, noises)], lines)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--program", required=True)
    p.add_argument("--photograph")
    p.add_argument("--seeds", type=int, default=1)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--objects")
    p.add_argument("--radii", default="20,14,10,8,6,5")
    p.add_argument("--noise", default="0,40,20,10", help="dB of shot noise; 0: none")
    p.add_argument("--methods", default="default")
    p.add_argument("--set", action="append", default=[])
    p.add_argument("--rows")
    p.add_argument("--only-rows", action="store_true", help="tables of the rows that are there")
    a = p.parse_args()
    objects = {**OBJECTS, **({"photograph": a.photograph} if a.photograph else {})}
    if a.objects:
        objects = {name: objects[name] for name in a.objects.split(",")}
    radii, noises = ([int(v) for v in text.split(",")] for text in (a.radii, a.noise))
    methods = a.methods.split(",")
    rows = read_rows(a.rows)
    done = {(r["noise"], r["radius"], r["object"], r["method"], r["seed"]) for r in rows}
    tasks = [t for seed in range(a.seeds) for t in itertools.product(noises, radii, objects, methods, [seed])
             if t not in done]
    if not a.only_rows:
        with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            for row in pool.map(lambda task: run_one(a, objects, task), tasks):
                append_row(a.rows, row)
                rows.append(row)
    print_tables(rows, list(objects), radii, noises, methods)


if __name__ == "__main__":
    main()
