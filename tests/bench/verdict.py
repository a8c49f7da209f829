#!/usr/bin/env python3
"""Reconstruct objects that are known, and count how often the verdict, which knows nothing of them, is wrong.

    python3 verdict.py --cli build/src/cli/prism-cli [--photograph FILE] [--seeds 3] [--jobs 1]
                       [--objects moon,bars] [--radii 14,10] [--noise 0,20] [--set key=value]... [--rows results.csv]

100 Fermat samples over the whole field, object 64 px in 256 px, everything else as the program has it; noise in dB
(0: none). Runs of one object, radius and noise see the same measurements and differ in the training seed. What a right
picture is: is_right() below. Prints Markdown tables by noise and radius, of wrong verdicts and of right pictures (the
map of success), then every wrong verdict. --rows keeps every run as a line of CSV and resumes from it.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

import kept_rows

OBJECTS = {name: name for name in ("moon", "ice-moon", "usaf1951", "siemens", "points", "checkerboard", "shepp-logan",
                                   "text")}
RADII = (14, 10, 8, 6, 5)
NOISE = (0, 20, 10)
COMMON = {"image_size": 256, "object_size": 64, "samples": 100, "threads": 1, "backend": "cpu"}
SUMS = ["frames", "misfit", "expected", "variance", "power"]
KEY = ["object", "radius", "snr", "seed"]
FIELDS = KEY + ["psnr", "kind", "rest"] + SUMS
TYPES = {"radius": int, "snr": int, "seed": int, "psnr": float}
NEAR, GOOD, LEAST = 3.0, 40.0, 28.0  # dB


def run_one(a, objects, task):
    name, radius, snr, seed = task
    settings = {**COMMON, "object": objects[name], "aperture_radius": radius, "snr": snr, "training_seed": seed}
    settings.update(s.split("=", 1) for s in a.set)
    with tempfile.TemporaryDirectory() as folder:
        command = [a.cli, "run", "--quiet", "--output", folder] + [f"--set={k}={v}" for k, v in settings.items()]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"verdict.py: {' '.join(command)}:\n{done.stdout}")
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
    verdict = summary["verdict"]
    return dict(zip(FIELDS, [*task, summary["final"]["psnr"], verdict["kind"], verdict["rest"]]
                    + [verdict[s] for s in SUMS]))


def is_right(row, rows):
    """Within NEAR of the best picture that any seed made of the same object with the same noise and this aperture or a
    smaller one, which sees less; GOOD will do in any case. Never below LEAST: where all seeds are stuck, the best of
    them is no measure. What the band leaves of these objects is above it for apertures of 10 px and more."""
    best = max(r["psnr"] for r in rows if r["object"] == row["object"] and r["snr"] == row["snr"]
               and r["radius"] <= row["radius"])
    return row["psnr"] >= max(min(best - NEAR, GOOD), LEAST)


def format_wrong(judged):
    """An ambiguous picture is one that is not vouched for."""
    if not judged:
        return "–"
    false_explained = sum(not right and explained for right, explained in judged)
    false_not = sum(right and not explained for right, explained in judged)
    return f"{false_explained} + {false_not} of {len(judged)}"


def format_found(judged):
    return f"{sum(right for right, _ in judged)} of {len(judged)}" if judged else "–"


def print_table(judged, radii, noise, format_cell):
    columns = [("no noise" if s == 0 else f"{s} dB", [s]) for s in noise] + [("all", list(noise))]
    print(f"| radius | {' | '.join(title for title, _ in columns)} |\n{'|---' * (len(columns) + 1)}|")
    for title, here in [(f"{r} px", [r]) for r in radii] + [("all", list(radii))]:
        cells = [format_cell([j for r, j in judged if r["radius"] in here and r["snr"] in snrs])
                 for _, snrs in columns]
        print(f"| {title} | {' | '.join(cells)} |")
    print()


def print_tables(rows, radii, noise):
    judged = [(r, (is_right(r, rows), r["kind"] == "explained")) for r in rows]
    print_table(judged, radii, noise, format_wrong)
    print_table(judged, radii, noise, format_found)
    for row, (right, explained) in judged:
        if right != explained:
            print(", ".join(f"{k} {row[k]}" for k in KEY), f"{row['psnr']:.1f} dB, {row['kind']}, rest {row['rest']}",
                  sep=": ")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--cli", required=True)
    p.add_argument("--photograph")
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--objects")
    p.add_argument("--radii", default=",".join(map(str, RADII)))
    p.add_argument("--noise", default=",".join(map(str, NOISE)))
    p.add_argument("--set", action="append", default=[])
    p.add_argument("--rows")
    a = p.parse_args()
    objects = {**OBJECTS, "photograph": a.photograph} if a.photograph else dict(OBJECTS)
    if a.objects:
        objects = {name: objects[name] for name in a.objects.split(",")}
    radii, noise = ([int(n) for n in text.split(",")] for text in (a.radii, a.noise))
    rows = kept_rows.load(a.rows, TYPES)
    have = {tuple(r[k] for k in KEY) for r in rows}
    tasks = [t for t in ((o, r, s, seed) for seed in range(a.seeds) for r in radii for s in noise for o in objects)
             if t not in have]
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for row in pool.map(lambda t: run_one(a, objects, t), tasks):
            rows.append(row)
            kept_rows.append(a.rows, row)
            print(*(row[f] for f in FIELDS[:7]), file=sys.stderr, flush=True)
    print_tables(rows, radii, noise)


if __name__ == "__main__":
    main()
