#!/usr/bin/env python3
"""Reconstruct every object in every regime by every method, and print Markdown tables of the amplitude PSNR.

    python3 quality.py --cli build/src/cli/prism-cli [--photograph FILE] [--seeds 3] [--jobs 1]
                       [--objects moon,bars] [--cells sparse-0,dense-10] [--methods decoder,epie,default]
                       [--set key=value]... [--rows results.csv]

A cell is a regime (sparse: r 10, without overlap; medium: r 14; dense: r 20; large: 128 px in 512 px, r 20) and the
noise in dB (0: none): 100 Fermat samples over the whole field, object 64 px in 256 px, at most 6,000 decoder steps. A
figure is the median over the seeds, the smallest in brackets when there are several. Of the last method: "live" is the
picture when the last sample is done, "falls" how often it was more than 0.5 dB worse than after the sample before, and
"largest" the largest drop below the best so far, in dB; both look at the ends of samples. --rows keeps every run as a
line of CSV and resumes from it; --methods python and the large cells must be asked for.
"""
import argparse
import concurrent.futures
import csv
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).parents[1] / "data"
OBJECTS = {"moon": str(DATA / "moon64.npy"), "ice moon": "ice-moon", "bars": "usaf1951", "points": "points",
           "phantom": "shepp-logan"}
REGIMES = {"sparse": {"aperture_radius": 10}, "medium": {"aperture_radius": 14}, "dense": {"aperture_radius": 20},
           "large": {"aperture_radius": 20, "image_size": 512, "object_size": 128}}
FALL = 0.5
NOISE = (0, 20, 10)
COMMON = {"image_size": 256, "object_size": 64, "samples": 100, "threads": 1, "backend": "cpu"}
METHODS = {
    "python": {"edge": "valid", "memory": "self", "energy_weight": 0, "schedule": "constant", "fresh_adam": "on",
               "learning_rate": 0.001, "polish": 0, "consistency": 0},
    "decoder": {"polish": 0, "consistency": 0},
    "epie": {"method": "epie", "passes": 40},
    "chain": {"finish": "epie", "polish": 20, "consistency": 0},
    "default": {},
}
FIELDS = ["object", "cell", "method", "seed", "psnr", "live", "falls", "largest", "misfit", "seconds"]
TYPES = {"seed": int, "psnr": float, "live": float, "falls": int, "largest": float}


def load_rows(path):
    """The rows of a file, none where there is none yet."""
    if path is None or not pathlib.Path(path).exists():
        return []
    with open(path, newline="") as f:
        return [{**r, **{k: convert(r[k]) for k, convert in TYPES.items()}} for r in csv.DictReader(f)]


def append_row(path, row):
    """Adds a row at once; the first one brings its header."""
    if path is None:
        return
    new = not pathlib.Path(path).exists()
    with open(path, "a", newline="") as f:
        writer = csv.DictWriter(f, list(row))
        if new:
            writer.writeheader()
        writer.writerow(row)


def read_way(path):
    """From metrics.csv: PSNR when the last sample was done, falls from sample to sample, largest drop."""
    ends = {}
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            if int(row["sample"]) >= 0 and row["psnr"] not in ("", "nan"):
                ends[int(row["sample"])] = float(row["psnr"])
    values = [ends[sample] for sample in sorted(ends)]
    best = list(itertools.accumulate(values, max))
    falls = sum(b < a - FALL for a, b in zip(values, values[1:]))
    return values[-1] if values else float("nan"), falls, max((b - v for b, v in zip(best, values)), default=0.0)


def run_one(a, objects, task):
    name, cell, method, seed = task
    regime, snr = cell.split("-")
    settings = {**COMMON, **METHODS[method], "object": objects[name], "snr": snr, "seed": seed, **REGIMES[regime]}
    settings.update(s.split("=", 1) for s in a.set)
    with tempfile.TemporaryDirectory() as folder:
        command = [a.cli, "run", "--output", folder] + [f"--set={k}={v}" for k, v in settings.items()]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"quality.py: {' '.join(command)}:\n{done.stdout}")
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
        live, falls, largest = read_way(pathlib.Path(folder) / "metrics.csv")
    return dict(zip(FIELDS, [name, cell, method, seed, summary["final"]["psnr"], live, falls, largest,
                             summary["misfit"], summary["seconds"]]))


def format_values(values):
    if not values:
        return "–"
    median = f"{statistics.median(values):.1f}"
    return median if len(values) == 1 else f"{median} ({min(values):.1f})"


def print_tables(rows, objects, cells, methods):
    for name in objects:
        print(f"\n### {name}\n\n| cell | {' | '.join(methods)} | live | falls | largest |")
        print("|---" * (len(methods) + 4) + "|")
        for cell in cells:
            here = [r for r in rows if r["object"] == name and r["cell"] == cell]
            columns = [format_values([r["psnr"] for r in here if r["method"] == m]) for m in methods]
            last = [r for r in here if r["method"] == methods[-1]]
            live = format_values([r["live"] for r in last if r["live"] == r["live"]])
            falls = max(r["falls"] for r in last) if last else "–"
            largest = f"{max(r['largest'] for r in last):.1f}" if last else "–"
            print(f"| {cell} | {' | '.join(columns)} | {live} | {falls} | {largest} |")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--cli", required=True)
    p.add_argument("--photograph")
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--objects")
    p.add_argument("--cells")
    p.add_argument("--methods", default=",".join(m for m in METHODS if m != "python"))
    p.add_argument("--set", action="append", default=[])
    p.add_argument("--rows")
    a = p.parse_args()
    objects = dict(OBJECTS)
    if a.photograph:
        objects["photograph"] = a.photograph
    if a.objects:
        objects = {name: objects[name] for name in a.objects.split(",")}
    cells = a.cells.split(",") if a.cells else [f"{r}-{s}" for r in REGIMES if r != "large" for s in NOISE]
    methods = a.methods.split(",")
    rows = load_rows(a.rows)
    have = {(r["object"], r["cell"], r["method"], r["seed"]) for r in rows}
    tasks = [t for t in ((o, c, m, s) for s in range(a.seeds) for c in cells for o in objects for m in methods)
             if t not in have]
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for row in pool.map(lambda t: run_one(a, objects, t), tasks):
            rows.append(row)
            append_row(a.rows, row)
            print(*(f"{row[f]:.2f}" if isinstance(row[f], float) else row[f] for f in FIELDS), file=sys.stderr,
                  flush=True)
    print_tables(rows, objects, cells, methods)


if __name__ == "__main__":
    main()
