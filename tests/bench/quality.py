#!/usr/bin/env python3
"""Reconstruct every object in every regime by every method, and print Markdown tables of the amplitude PSNR.

    python3 quality.py --cli build/src/cli/prism-cli [--photograph FILE] [--seeds 3] [--jobs 1]
                       [--objects moon,bars] [--cells sparse-0,dense-10] [--methods decoder,epie,default]
                       [--set key=value]... [--rows results.csv]

A cell is a regime (sparse: r 10, without overlap; medium: r 14; dense: r 20) and the noise in dB (0: none): 100
Fermat samples over the whole field, object 64 px in 256 px, at most 6,000 decoder steps. A figure is the median
over the seeds, the smallest in brackets. "live" is the picture when the last sample is done, "fall" the largest
drop of the live picture's PSNR while samples arrive. --rows keeps every run as a line of CSV and resumes from it.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).parents[1] / "data"
OBJECTS = {"moon": str(DATA / "moon64.npy"), "ice moon": "ice-moon", "bars": "usaf1951", "points": "points",
           "phantom": "shepp-logan"}
RADII = {"sparse": 10, "medium": 14, "dense": 20}
NOISE = (0, 20, 10)
COMMON = {"image_size": 256, "object_size": 64, "samples": 100, "threads": 1, "backend": "cpu"}
METHODS = {
    "python": {"edge": "valid", "memory": "self", "energy_weight": 0, "schedule": "constant", "fresh_adam": "on",
               "learning_rate": 0.001, "polish": 0},
    "decoder": {"polish": 0},
    "epie": {"algorithm": "epie", "passes": 40},
    "chain": {"finish": "epie", "polish": 20},
    "default": {},
}
FIELDS = ["object", "cell", "method", "seed", "psnr", "live", "fall", "misfit", "seconds"]


def read_way(path):
    """PSNR when the last sample was done and the largest drop before that, from metrics.csv."""
    last = best = float("nan")
    fall = 0.0
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            if int(row["sample"]) < 0 or row["psnr"] in ("", "nan"):
                continue
            last = float(row["psnr"])
            best = last if best != best else max(best, last)
            fall = max(fall, best - last)
    return last, fall


def run_one(a, objects, task):
    name, cell, method, seed = task
    regime, snr = cell.split("-")
    settings = {**COMMON, **METHODS[method], "object": objects[name], "aperture_radius": RADII[regime], "snr": snr,
                "seed": seed}
    settings.update(s.split("=", 1) for s in a.set)
    with tempfile.TemporaryDirectory() as folder:
        command = [a.cli, "run", "--output", folder] + [f"--set={k}={v}" for k, v in settings.items()]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"quality.py: {' '.join(command)}:\n{done.stdout}")
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
        live, fall = read_way(pathlib.Path(folder) / "metrics.csv")
    return dict(zip(FIELDS, [name, cell, method, seed, summary["final"]["psnr"], live, fall, summary["misfit"],
                             summary["seconds"]]))


def load_rows(path):
    if path is None or not pathlib.Path(path).exists():
        return []
    with open(path, newline="") as f:
        return [{**r, "seed": int(r["seed"]), "psnr": float(r["psnr"]), "live": float(r["live"]),
                 "fall": float(r["fall"])} for r in csv.DictReader(f)]


def append_row(path, row):
    if path is None:
        return
    new = not pathlib.Path(path).exists()
    with open(path, "a", newline="") as f:
        writer = csv.DictWriter(f, FIELDS)
        if new:
            writer.writeheader()
        writer.writerow(row)


def format_values(values):
    if not values:
        return "–"
    return f"{statistics.median(values):.1f} ({min(values):.1f})"


def print_tables(rows, objects, cells, methods):
    for name in objects:
        print(f"\n### {name}\n\n| cell | {' | '.join(methods)} | live | fall |")
        print("|---" * (len(methods) + 3) + "|")
        for cell in cells:
            here = [r for r in rows if r["object"] == name and r["cell"] == cell]
            columns = [format_values([r["psnr"] for r in here if r["method"] == m]) for m in methods]
            last = [r for r in here if r["method"] == methods[-1]]
            live = format_values([r["live"] for r in last if r["live"] == r["live"]])
            fall = f"{max(r['fall'] for r in last):.1f}" if last else "–"
            print(f"| {cell} | {' | '.join(columns)} | {live} | {fall} |")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--cli", required=True)
    p.add_argument("--photograph")
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--objects")
    p.add_argument("--cells")
    p.add_argument("--methods", default=",".join(METHODS))
    p.add_argument("--set", action="append", default=[])
    p.add_argument("--rows")
    a = p.parse_args()
    objects = dict(OBJECTS)
    if a.photograph:
        objects["photograph"] = a.photograph
    if a.objects:
        objects = {name: objects[name] for name in a.objects.split(",")}
    cells = a.cells.split(",") if a.cells else [f"{r}-{s}" for r in RADII for s in NOISE]
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
