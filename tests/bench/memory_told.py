#!/usr/bin/env python3
"""Hold the memory that is told before a run against what the run takes.

    python3 memory_told.py --cli build/src/cli/prism-cli [--quick] [--only NAME] [--times 1.5]
                           [--sanitizer NAME] [--json]

Each configuration is run as it is and with a run file, in a process of its own. What counts is the
largest resident memory of that process (VmHWM of Linux), program and libraries included. Told must
be no less, and at most --times as much. The exit status is 1 where it is not, and 77 for a program
with a sanitizer, which holds memory of its own.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MIB = 2**20
# Starts the program from a process that is smaller than any run: what a process has held before it
# became another program counts as that program's.
START = '"$0" "$@"; exit $?'
SHORT = {"start_steps": 2, "steps": 2, "consistency": 1, "polish": 1, "autosave_samples": 1}

CONFIGURATIONS = {
    "quick look": {"image_size": 256, "object_size": 96, "samples": 80, "steps": 8, "start_steps": 100,
                   "consistency": 3, "polish": 100},
    "quick look, small frames": {"image_size": 256, "object_size": 96, "samples": 80, "frames": "small",
                                 "consistency": 3, "polish": 100},
    "quick look, noise": {"image_size": 256, "object_size": 96, "samples": 80, "snr": 20},
    "standard": {"samples": 100},
    "standard, small frames": {"samples": 100, "frames": "small"},
    "standard, small frames, noise": {"samples": 100, "frames": "small", "snr": 20, "read_snr": 20},
    "high quality": {"image_size": 1024, "object_size": 512, "aperture_radius": 50, "samples": 30},
    "high quality, small frames": {"image_size": 1024, "object_size": 512, "aperture_radius": 50,
                                   "samples": 30, "frames": "small"},
    "held small": {"image_size": 1024, "object_size": 128, "samples": 100, "frames": "small", "cache_size": 16},
    # A search that takes more passes than were planned.
    "bars": {"image_size": 256, "object_size": 64, "object": "usaf1951", "aperture_radius": 5, "samples": 150,
             "polish": 200, "consistency": 8, "autosave_samples": 0},
    "bars, large": {"image_size": 512, "object_size": 128, "object": "usaf1951", "aperture_radius": 16, "samples": 60,
                    "polish": 200, "consistency": 8, "autosave_samples": 0},
    "smallest": {"image_size": 64, "object_size": 16, "samples": 4, "aperture_radius": 6},
    "small": {"image_size": 128, "object_size": 48, "samples": 12, "aperture_radius": 12},
    "small, noise": {"image_size": 128, "object_size": 64, "samples": 100, "aperture_radius": 8, "snr": 20,
                     "read_snr": 30, "steps": 2},
    "default": {"samples": 20},
    "default, all of it": {"samples": 10, "loss": "composite", "snr": 25, "amsgrad": "on", "clip_norm": 1,
                           "memory": "all", "replay": 12},
    "self": {"samples": 20, "memory": "self", "edge": "valid"},
    "decoder alone": {"image_size": 512, "object_size": 256, "samples": 20, "polish": 0, "consistency": 0},
    "no past": {"image_size": 256, "object_size": 128, "samples": 20, "history_size": 0, "aperture_radius": 16},
    "long past": {"image_size": 256, "object_size": 128, "samples": 12, "steps": 40, "history_size": 4,
                  "aperture_radius": 16, "autosave_samples": 4},
    "two passes": {"image_size": 256, "object_size": 64, "samples": 12, "passes": 2, "order": "energy",
                   "start_target": "synthetic"},
    "small cache": {"image_size": 512, "object_size": 64, "samples": 60, "cache_size": 16, "steps": 1, "snr": 30},
    "bf16": {"image_size": 512, "object_size": 128, "samples": 8, "amp": "on"},
    "lines": {"image_size": 256, "object_size": 128, "samples": 30, "line_length": 12, "aperture_radius": 16},
    "epie": {"image_size": 512, "object_size": 256, "samples": 40, "method": "epie", "passes": 1},
    "epie, noise": {"image_size": 1024, "object_size": 512, "samples": 12, "method": "epie", "passes": 1, "snr": 30},
    "mopie": {"image_size": 512, "object_size": 128, "samples": 10, "method": "mopie", "passes": 1,
              "line_length": 12},
    "large": {"image_size": 1024, "object_size": 256, "samples": 8},
    "large object": {"image_size": 1024, "object_size": 512, "samples": 6, "finish": "refine"},
    "largest": {"image_size": 2048, "object_size": 256, "samples": 6},
    "largest, noise": {"image_size": 2048, "object_size": 128, "samples": 6, "snr": 30, "steps": 1},
    "two threads": {"image_size": 1024, "object_size": 256, "samples": 6, "threads": 2, "loss": "ms-ssim"},
}
# Of frames that a camera recorded: the instrument that is simulated to record them, and settings.
RECORDED = {
    "recorded": ({}, {}),
    "recorded, small": ({"size": 64}, {"passes": 3}),
    "recorded, many": ({"per_side": 25}, {"passes": 3}),
    "recorded, large": ({"size": 256}, {"passes": 3}),
    "recorded, fine": ({}, {"passes": 3, "upsampling": 8}),
    "recorded, descent": ({"size": 256}, {"passes": 3, "method": "descent"}),
    "recorded, tiles": ({"size": 256}, {"passes": 3, "tile": 128}),
}
# Of a second each.
QUICK = ["quick look, small frames", "smallest", "small", "small, noise", "two passes", "bars", "epie", "decoder alone",
         "recorded, small"]


def make_options(settings):
    values = {**SHORT, "threads": 1, **settings}
    return [f"--set={key}={value}" for key, value in values.items()]


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def ask_slurm(cli, options, save, axis="seed=1,2"):
    """MiB that Slurm is asked for."""
    with tempfile.TemporaryDirectory() as directory:
        run([cli, "sweep", "--slurm", "--quiet", *options, f"--over={axis}",
             f"--output={directory}", *(["--keep-runs"] if save else [])])
        script = pathlib.Path(directory, "job.sh").read_text()
    return int(script.split("--mem=")[1].split("M\n")[0])


def ask(cli, settings):
    """Bytes that a run needs, without and with a run file. Whoever is asked must say the same."""
    told = json.loads(run([cli, "decoder", "--json", *make_options(settings)]))
    answer = {False: told["run_bytes"], True: told["saved_run_bytes"]}
    for save in (False, True):
        mebibytes = ask_slurm(cli, make_options(settings), save)
        if mebibytes != answer[save] // MIB + 1:
            sys.exit(f"memory_told.py: {answer[save]} bytes are told, and {mebibytes} MiB to Slurm")
    return answer


def measure(cli, options, save):
    """Bytes that the process has held at most."""
    # Meson's: it fills, and so takes, memory that the program does not touch.
    environment = {key: value for key, value in os.environ.items() if key != "MALLOC_PERTURB_"}
    with tempfile.TemporaryDirectory() as directory:
        command = ["/bin/sh", "-c", START, cli, "run", "--quiet", *options,
                   f"--output={directory}/result"]
        if save:
            command.append(f"--save={directory}/run.prismrun")
        process = subprocess.Popen(command, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"memory_told.py: the run ended with exit status {process.returncode}")
    return usage.ru_maxrss * 1024


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--cli", required=True)
    p.add_argument("--quick", action="store_true", help="a few that take a second each")
    p.add_argument("--only", action="append", help="name of a configuration")
    # A run that never trains its decoder is told the two states that a file has of one that does.
    p.add_argument("--times", type=float, default=1.5, help="how many times the peak may be told")
    p.add_argument("--sanitizer", default="none", help="that the program is built with")
    p.add_argument("--json", action="store_true")
    a = p.parse_args()
    if a.sanitizer != "none":
        print(f"SKIP: the {a.sanitizer} sanitizer holds memory of its own, so that VmHWM says nothing of the run")
        sys.exit(77)
    rows = []
    frames = tempfile.TemporaryDirectory()
    for name in a.only or (QUICK if a.quick else [*CONFIGURATIONS, *RECORDED]):
        if name in RECORDED:
            instrument, settings = RECORDED[name]
            path = f"{frames.name}/frames.hdf5"
            run([a.cli, "simulate", *[f"--set={key}={value}" for key, value in instrument.items()], path])
            options = [f"--measurements={path}", "--set=threads=1",
                       *[f"--set={key}={value}" for key, value in settings.items()]]
            answer = {save: ask_slurm(a.cli, options, save, "hold_out=0,15") * MIB for save in (False, True)}
        else:
            options = make_options(CONFIGURATIONS[name])
            answer = ask(a.cli, CONFIGURATIONS[name])
        for save in (False, True):
            told = answer[save]
            peak = measure(a.cli, options, save)
            ok = peak <= told <= a.times * peak
            rows.append({"name": name, "save": save, "told": told, "peak": peak, "ok": ok})
            if not a.json:
                print(f"{name:30} {'file' if save else '':4}  told {told / MIB:8.1f} MiB  peak {peak / MIB:8.1f} MiB"
                      f"  ratio {told / peak:5.2f}{'' if ok else '  WRONG'}", flush=True)
    if a.json:
        print(json.dumps(rows, indent=2))
    sys.exit(0 if all(row["ok"] for row in rows) else 1)


if __name__ == "__main__":
    main()
