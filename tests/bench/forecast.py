#!/usr/bin/env python3
"""Hold the time that is told before a run against what the run takes.

    python3 forecast.py --cli build/src/cli/prism-cli [--only NAME]... [--rounds 1] [--within 0.25] [--json]

Each run is told and made with threads=1 and a cache of its own, so that nothing is known of it before. What counts is the
processor time of the whole process, which other programs hardly change, against what was told for the course that the
run took (with the decoder or without). The exit status is 1 where more than one run in ten is further off than --within.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

# Options of prism-cli, from the quick look to large fields.
RUNS = {
    "quick-look": "--preset quick-look --set snr=0",
    "quick-look snr=20": "--preset quick-look --set snr=20",
    "quick-look aperture_radius=12": "--preset quick-look --set snr=0 --set aperture_radius=12",
    "quick-look aperture_radius=10 samples=60": "--preset quick-look --set snr=0 --set aperture_radius=10 --set samples=60",
    "quick-look method=decoder": "--preset quick-look --set snr=0 --set method=decoder",
    "quick-look method=mopie": "--preset quick-look --set snr=0 --set method=mopie --set line_length=6 --set passes=20",
    "epie": "--preset epie --set snr=0",
    "standard": "--preset standard --set snr=0",
    "standard method=decoder steps=30": "--preset standard --set snr=0 --set method=decoder --set steps=30",
    "decoder-only samples=60": "--preset decoder-only --set snr=0 --set samples=60",
    "python-prism samples=40": "--preset python-prism --set samples=40",
    "production": "--preset production --set snr=0",
    "high-quality": "--preset high-quality --set snr=0",
}


def get_processor(command, environment):
    """Runs a program and returns the seconds of processor time that it took."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"forecast.py: “{' '.join(command)}” ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def measure(cli, options):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": folder}
        command = [cli, "run", *options.split(), "--set", "threads=1"]
        told = json.loads(subprocess.run([*command, "--dry-run", "--json"], env=environment, check=True,
                                         stdout=subprocess.PIPE).stdout)
        output = pathlib.Path(folder, "result")
        took = get_processor([*command, "--quiet", "--output", str(output)], environment)
        course = json.loads((output / "summary.json").read_text())["training"]
    key = {"spared": "seconds_spared", "needed": "seconds_needed"}.get(course, "seconds_as_set")
    return {"course": course, "took": took, "told": told[key]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", required=True, help="prism-cli")
    parser.add_argument("--only", action="append", choices=RUNS, help="this run alone; may be given again")
    parser.add_argument("--rounds", type=int, default=1, help="how often, of which the middle counts")
    parser.add_argument("--within", type=float, default=0.25, help="how far off is right")
    parser.add_argument("--json", action="store_true", help="print every run as JSON")
    a = parser.parse_args()
    rows, n_right = [], 0
    if not a.json:
        print("| run | course | took, s | told, s | |\n|---|---|---|---|---|")
    for name in a.only or RUNS:
        found = sorted((measure(a.cli, RUNS[name]) for _ in range(a.rounds)), key=lambda x: x["told"] / x["took"])
        row = {"run": name, **found[len(found) // 2]}
        off = row["told"] / row["took"] - 1
        n_right += abs(off) <= a.within
        rows.append({**row, "off": off})
        if not a.json:
            print(f"| {name} | {row['course']} | {row['took']:.1f} | {row['told']:.1f} | {off:+.0%} |", flush=True)
    if a.json:
        json.dump(rows, sys.stdout, indent=2)
    else:
        middle = statistics.median(abs(row["off"]) for row in rows)
        print(f"{n_right} of {len(rows)} within {a.within:.0%}; the middle one is {middle:.0%} off.")
    return 0 if len(rows) - n_right <= len(rows) / 10 else 1


if __name__ == "__main__":
    sys.exit(main())
