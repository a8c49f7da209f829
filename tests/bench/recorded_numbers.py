#!/usr/bin/env python3
"""Halve and double every number that is a #define of rooms of the engine, and print what recorded frames say of it.

    python3 recorded_numbers.py WORK [--rooms ptychography,recording] [--only NAME,...] --set red="FILE --positions TABLE" ...

WORK gets a copy of the last commit in which each such number is asked of the environment (PRISM_NUMBER), and its build;
numbers that C needs as constants stay as they are and are listed. A number is tried on the sets that it is asked in.
A row has the largest change of the held-out misfit and correlation, the sets whose sentences change, and the largest
factor of the processor time. Needs a clean checkout.
"""
import argparse
import os
import pathlib
import re
import resource
import shlex
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parents[2]
DEFINE = re.compile(r"^#define (\w+) (\(?-?[\d.].*?)( */\*.*)?$", re.M)
ASKED = """#define {name} (__extension__ ({{ static {kind} v_; static int s_; if (!s_) {{ \
v_ = ({kind}) prism_number ("{key}", {value}); s_ = 1; }} v_; }}))"""
NUMBER = r"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double prism_number (const char *name, double value);
double
prism_number (const char *name, double value)
{
  const char *set = getenv ("PRISM_NUMBER"), *log = getenv ("PRISM_NUMBER_LOG");
  FILE *file = log != NULL ? fopen (log, "a") : NULL;
  if (file != NULL)
    fprintf (file, "%s\n", name), fclose (file);
  return set != NULL && strncmp (set, name, strlen (name)) == 0 && set[strlen (name)] == '='
             ? atof (set + strlen (name) + 1) : value;
}
"""


def rewrite(work, rooms, fixed):
    """Asks for the numbers; returns key → (value, whether it is whole)."""
    archive = subprocess.run(["git", "-C", HERE, "archive", "HEAD"], check=True, capture_output=True).stdout
    subprocess.run(["tar", "x", "-C", work], input=archive, check=True)
    numbers = {}
    for file in sorted(path for room in rooms for path in (work / "src/engine" / room).glob("*.[ch]")):
        def ask(match):
            key, value = f"{file.name}:{match[1]}", match[2].strip()
            if key in fixed or not re.fullmatch(r"-?[\d.]+(e-?\d+)?f?", value):
                return match[0]
            whole = value.lstrip("-").isdigit()
            numbers[key] = (float(value.rstrip("f")), whole)
            return ASKED.format(name=match[1], kind="int" if whole else "double", key=key, value=value)
        text = DEFINE.sub(ask, file.read_text())
        file.write_text("double prism_number (const char *name, double value);\n" + text)
    (work / "src/engine/base/prism-number-asked.c").write_text(NUMBER)
    meson = work / "src/engine/base/meson.build"
    meson.write_text(re.sub(r"files\(\n", "files(\n  'prism-number-asked.c',\n", meson.read_text(), count=1))
    return numbers


def build(work, rooms):
    """Builds the command line; numbers that C needs as constants are found by the errors that they make."""
    fixed = set()
    while True:
        numbers = rewrite(work, rooms, fixed)
        if not (work / "build").exists():
            subprocess.run(["meson", "setup", work / "build", work, "-Dcuda=disabled", "-Demulation=false"],
                           check=True, capture_output=True)
        done = subprocess.run(["ninja", "-k0", "-C", work / "build", "src/cli/prism-cli"], capture_output=True, text=True)
        if done.returncode == 0:
            return work / "build/src/cli/prism-cli", numbers, fixed
        words = set(re.findall(r"[A-Z_\d]{3,}", "".join(re.findall(r"error:.*(?:\n.*){6}", done.stdout))))
        more = {key for key in numbers if key.split(":")[1] in words}
        if not more:
            raise SystemExit(done.stdout[-4000:])
        fixed |= more


def run(cli, arguments, **environment):
    """Returns held-out misfit and correlation, the sentences, and the processor time."""
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([cli, "run", "--measurements", *shlex.split(arguments), "--set", "threads=1", "--output",
                               folder], capture_output=True, text=True, env={**os.environ, **environment})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = done.stdout + done.stderr
    found = re.search(r"never used: misfit ([\d.]+), correlation (-?[\d.]+)", text)
    sentences = [line for line in text.splitlines() if not re.match(r"Pass |[\d.]+ s\. |\d+ frames that|Noise and", line)]
    values = [float(value) for value in found.groups()] if found else [float("nan")] * 2
    return *values, sentences, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--rooms", default="ptychography,recording")
    parser.add_argument("--only", default="")
    parser.add_argument("--set", action="append", required=True, dest="sets")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    cli, numbers, fixed = build(options.work.resolve(), options.rooms.split(","))
    print("constants of C:", ", ".join(sorted(fixed)) or "none")
    print("| number | sets | misfit | correlation | sentences | time |\n|---|---|---|---|---|---|")
    sets = dict(text.split("=", 1) for text in options.sets)
    log = options.work / "asked"
    plain, asked = {}, {}
    for name, arguments in sets.items():
        log.unlink(missing_ok=True)
        run(cli, arguments, PRISM_NUMBER_LOG=str(log))
        asked[name] = set(log.read_text().split()) if log.exists() else set()
        plain[name] = run(cli, arguments)
    for key, (value, whole) in numbers.items():
        if options.only and key.split(":")[1] not in options.only.split(","):
            continue
        rows = [(name, factor, run(cli, sets[name], PRISM_NUMBER=f"{key}={round(value * factor) if whole else value * factor}"))
                for name in sets if key in asked[name] for factor in (0.5, 2)]
        moved = [max((abs(row[i] - plain[name][i]) for name, _, row in rows), default=0) for i in range(2)]
        said = sorted({name for name, _, row in rows if row[2] != plain[name][2]})
        slower = max((row[3] / plain[name][3] for name, _, row in rows), default=1)
        print(f"| {key} | {len(rows) // 2} | {moved[0]:.4f} | {moved[1]:.4f} | {', '.join(said)} | {slower:.2f} |", flush=True)


if __name__ == "__main__":
    main()
