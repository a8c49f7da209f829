#!/usr/bin/env python3
"""Halve and double every tuned number, and print what that does to the result as a Markdown table.

    python3 tuning.py --meter build/tests/engine/tuning-meter [--jobs 1] [--keys variation,live-last]
                      [--set key=value]... [--rows rows.csv]
    python3 tuning.py --meter build/tests/engine/tuning-meter --check docs/quality.md

The numbers are those of src/engine/num/prism-tuning.c. A figure is the change of the amplitude's PSNR in dB; “=” is the
same bits. Numbers that only some runs use are tried in such a run, whose settings stand in EXTRAS below. --rows keeps
every run as a line of CSV and resumes from it. --check compares keys and values of a page's table with the program's, as
TAP, and runs nothing.
"""
import argparse
import concurrent.futures
import csv
import pathlib
import re
import subprocess
import sys

COMMON = {"object": "moon", "image_size": 128, "object_size": 48, "samples": 24, "aperture_radius": 9, "steps": 10,
          "start_steps": 60, "polish": 40, "threads": 1, "method": "decoder", "frames": "full"}
SCENES = {"no noise": {}, "15 dB": {"snr": 15}}
# What a number needs to be used at all, by the beginning of its key.
EXTRAS = {
    "start-disk": {"start_target": "disk"},
    "plateau": {"schedule": "plateau"},
    "restart": {"schedule": "restarts"},
    "convergence": {"convergence": "on", "threshold": 0.01, "samples": 4, "steps": 400, "max_retries": 0},
    "boost": {"convergence": "on", "threshold": 0.01, "samples": 4, "steps": 400, "max_retries": 0},
    "rescue": {"convergence": "on", "threshold": 0.01, "samples": 4, "max_retries": 1},
    "noise-rounds": {"read_snr": 20}, "noise-least": {"read_snr": 20}, "descent-offset": {"read_snr": 20},
    "samples": {"frames": "small"}, "brief": {"method": "auto", "frames": "auto", "samples": 40},
    "settle": {"method": "auto", "frames": "auto", "samples": 40},
    **{start: {"method": "auto", "frames": "auto", "samples": 40, "aperture_radius": 4}
       for start in ("field", "align", "fill", "mend")},
    "band": {"consistency": 0}, "refine": {"consistency": 0},
}
# Of fields with noise: a sparse run that the decoder fails in. Both of its columns are of 25 dB.
RESCUED = {"method": "auto", "frames": "auto", "image_size": 64, "object_size": 16, "samples": 24, "aperture_radius": 2.5,
           "polish": 100, "snr": 25}
EXTRAS.update({key: RESCUED for key in (
    "field-starts-in-noise", "field-whole", "field-doubtful", "align-damped", "align-less-damped", "align-starts-in-noise",
    "align-better", "align-met-in-noise", "fill-first-in-noise", "fill-last-in-noise", "mends",
    "mend-closer", "mend-pull")})
FIELDS = ["key", "factor", "scene", "settings", "psnr"]


def read_table(meter):
    lines = subprocess.run([meter], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    names = ["key", "value", "unit", "meaning", "origin", "below_one"]
    return [dict(zip(names, line.split("\t"))) for line in lines]


def get_settings(a, key, scene):
    settings = {**COMMON, **SCENES[scene]}
    for start, extra in EXTRAS.items():
        if key.startswith(start):
            settings.update(extra)
    settings.update(s.split("=", 1) for s in a.set)
    return " ".join(f"{k}={v}" for k, v in settings.items())


def run_one(a, task):
    key, factor, scene, settings = task
    done = subprocess.run([a.meter, key, factor, *settings.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode == 2:
        sys.exit(done.stderr.strip())
    psnr = done.stdout.split()[0] if done.returncode == 0 else "fails"
    return dict(zip(FIELDS, [*task, psnr]))


def load_rows(path):
    if path is None or not pathlib.Path(path).exists():
        return []
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def measure(a, table):
    """(key, factor, scene) → PSNR as text. A run of the table's own values is done once for the same settings."""
    rows = {(r["key"], r["factor"], r["settings"]): r["psnr"] for r in load_rows(a.rows)}
    wanted = {}
    for entry in table:
        for scene in SCENES:
            settings = get_settings(a, entry["key"], scene)
            wanted[table[0]["key"], "1", settings] = scene
            for factor in ("0.5", "2"):
                wanted[entry["key"], factor, settings] = scene
    tasks = [(key, factor, scene, settings) for (key, factor, settings), scene in wanted.items()
             if (key, factor, settings) not in rows]
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for done in pool.map(lambda task: run_one(a, task), tasks):
            rows[done["key"], done["factor"], done["settings"]] = done["psnr"]
            if a.rows is not None:
                is_new = not pathlib.Path(a.rows).exists()
                with open(a.rows, "a", newline="") as f:
                    writer = csv.DictWriter(f, FIELDS)
                    if is_new:
                        writer.writeheader()
                    writer.writerow(done)
    return rows


def describe(psnr, base):
    if "fails" in (psnr, base):
        return "fails" if psnr == "fails" else "does not fail"
    return "=" if psnr == base else f"{float(psnr) - float(base):+.2f}"


def print_table(a, table, rows):
    bases = [rows.get((table[0]["key"], "1", get_settings(a, "", scene))) for scene in SCENES]
    for scene, base in zip(SCENES, bases):
        if base is not None:
            print(f"{scene}: {float(base):.2f} dB")
    print("\n| key | value | unit | meaning | " + " | ".join(f"{s}: half | double" for s in SCENES) + " | origin |")
    print("|---|" + "---|" * (4 + 2 * len(SCENES)))
    for entry in table:
        cells = []
        for scene in SCENES:
            settings = get_settings(a, entry["key"], scene)
            base = rows[table[0]["key"], "1", settings]
            cells += [describe(rows[entry["key"], factor, settings], base) for factor in ("0.5", "2")]
        value = f"1 − {1 - float(entry['value']):g}" if entry["below_one"] == "1" else entry["value"]
        texts = [entry["unit"].replace("|", "\\|") or "–", entry["meaning"].replace("|", "\\|"), *cells, entry["origin"]]
        print(f"| `{entry['key']}` | {value} | {' | '.join(texts)} |")


def check(page, table):
    with open(page, encoding="utf-8") as f:
        found = dict(re.findall(r"^\| `([a-z0-9-]+)` \| ([^|]*) \|", f.read(), re.M))
    print("1..1")
    wrong = []
    for entry in table:
        text = found.get(entry["key"], "nothing").split("− ")[-1]
        value = float(entry["value"])
        expected = f"{1 - value:g}" if entry["below_one"] == "1" else entry["value"]
        if text.strip() != expected:
            wrong.append(f"{entry['key']} is {entry['value']}, {page} says {found.get(entry['key'], 'nothing')}")
    print(f"{'not ok' if wrong else 'ok'} 1 /bench/tuning/documented")
    print("".join(f"# {line}\n" for line in wrong), end="")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--meter", required=True)
    parser.add_argument("--check")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keys", default="")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--rows")
    a = parser.parse_args()
    table = read_table(a.meter)
    if a.check is not None:
        sys.exit(check(a.check, table))
    table = [entry for entry in table if not a.keys or entry["key"] in a.keys.split(",")]
    print_table(a, table, measure(a, table))


if __name__ == "__main__":
    main()
