#!/usr/bin/env python3
"""Simulate microscopes with one fault each, explain their frames, and print how well the truth is met as a Markdown table.

    python3 microscopes.py --cli build/src/cli/prism-cli [--cases plain,shifts] [--seeds 1,2,3] [--set key=value]...
                           [--real FOLDER] [--jobs 1] [--rows rows.csv]

Columns: misfit and correlation of the frames that were never used; what the object's phase is off by (rad, root mean
square, away from the outer sixteenth, piston and ramp taken off; of an object in near light, with the curvature that
the middle LED's light has), its amplitude (part of its mean), the pupil's phase (waves, without piston and ramp),
places of LEDs (pixels of a frame's spectrum, of the frames that were used), and CPU time in seconds. With --real the
sets of a folder take part, with the faults that need no truth. --rows keeps every run as a line of CSV and resumes
from it. Needs numpy and h5py.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

FIELDS = ["case", "seed", "misfit", "correlation", "phase", "amplitude", "pupil", "places", "seconds"]


def add_level(frames, draw):
    """A level of its own for each frame."""
    bright = frames[0].mean()
    return frames + bright * draw.uniform(0, 0.003, len(frames))[:, None, None]


def get_field(frames):
    y, x = np.mgrid[0:1:frames.shape[1] * 1j, 0:1:frames.shape[2] * 1j]
    return x, y


def add_slope(frames, draw):
    """From 0.1 to 0.3 % of a bright frame across the field."""
    x, y = get_field(frames)
    angle = draw.uniform(0, 2 * np.pi)
    across = 0.5 + ((x - 0.5) * np.cos(angle) + (y - 0.5) * np.sin(angle)) / np.sqrt(2)
    return frames + frames[0].mean() * (0.001 + 0.002 * across)


def add_bowl(frames, draw):
    """0.3 % in the middle, less to all sides, about a middle that is not the frame's."""
    x, y = get_field(frames)
    a, b = draw.uniform(0.3, 0.7, 2)
    return frames + frames[0].mean() * 0.003 * np.exp(-((x - a)**2 + (y - b)**2) / 0.5)


def add_sloped_levels(frames, draw):
    """A slope, as bright in each frame as its own level."""
    x, _ = get_field(frames)
    return frames + frames[0].mean() * draw.uniform(0, 0.003, len(frames))[:, None, None] * (0.5 + x)


# Name → what is simulated, and what is done to the frames.
CASES = {
    "plain": ({}, None),
    "stray": ({"stray": 0.002}, None),
    "level": ({}, add_level),
    "slope": ({}, add_slope),
    "bowl": ({}, add_bowl),
    "slope-level": ({}, add_sloped_levels),
    "gains": ({"gains": 0.3}, None),
    "shifts": ({"shifts": 2}, None),
    "small-shifts": ({"shifts": 0.7}, None),
    "size-200": ({"size": 200}, None),
    "size-256": ({"size": 256}, None),
    "near": ({"curvature": 1}, None),
    "pitch-6": ({"pitch": 6e-3}, None),
    "bars": ({"specimen": 1}, None),
    "spherical": ({"spherical": -0.3}, None),
    "spherical-p": ({"spherical": 0.3}, None),
    "astigmatism": ({"astigmatism": 0.25}, None),
    "noise": ({"photons": 3e4}, None),
    "defocus": ({"defocus": -5e-5}, None),
    "ten": ({"na": 0.25, "magnification": 10, "camera_pixel": 6.5e-6, "pitch": 6e-3, "wavelength": 520e-9,
             "distance": 0.08, "defocus": 2e-6, "per_side": 13}, None),
    "four": ({"na": 0.13, "magnification": 4, "camera_pixel": 3.45e-6, "wavelength": 532e-9, "distance": 0.07,
              "pitch": 3e-3, "size": 160, "per_side": 13}, None),
}
REAL = ("bloodsmear_red", "blood_aberration")


def shift_leds(path, draw, off):
    """Moves every LED by errors of so many pixels, root mean square."""
    with h5py.File(path, "r+") as file:
        pixel = file["wavelength"][()] / (file["dxd"][()] / file["magnification"][()]
                                          * file["ptychogram"].shape[-1])
        file["k_na"][...] = file["k_na"][()] + draw.normal(0, off / np.sqrt(2), file["k_na"].shape) * pixel


def change_frames(path, change, draw):
    with h5py.File(path, "r+") as file:
        frames = file["ptychogram"][()].astype(float)
        file["ptychogram"][...] = change(frames, draw)


def resample(field, side):
    """A periodic field on another grid."""
    n = len(field)
    spectrum = np.fft.fftshift(np.fft.fft2(field)) / n**2
    to = np.zeros((side, side), complex)
    half = min(n, side) // 2
    to[side // 2 - half:side // 2 + half, side // 2 - half:side // 2 + half] = \
        spectrum[n // 2 - half:n // 2 + half, n // 2 - half:n // 2 + half]
    return to  # of which the field is ifft2(ifftshift(to))·side²


def take_ramp_off(phases, weights, rounds=3):
    """e^(i·phase) → the phase without piston and ramp."""
    n = len(phases)
    y, x = np.mgrid[:n, :n] / n - 0.5
    peak = np.unravel_index(np.abs(np.fft.fft2(weights * phases)).argmax(), (n, n))
    peak = [p - n if p > n // 2 else p for p in peak]
    phases = phases * np.exp(-2j * np.pi * (peak[0] * y + peak[1] * x))
    basis = np.stack([np.ones(n * n), x.ravel(), y.ravel()])
    for _ in range(rounds):
        phases = phases * np.exp(-1j * np.angle((weights * phases).sum()))
        error = np.angle(phases)
        w = weights.ravel()
        fit = np.linalg.solve((basis * w) @ basis.T, (basis * w) @ error.ravel())
        phases = phases * np.exp(-1j * (fit @ basis).reshape(n, n))
    return np.angle(phases)


def compare_object(found, truth, centers, radius):
    """found, truth: complex; centers: [N][2] pixels of the spectrum, x y."""
    side = len(found)
    spectrum = resample(truth, side)
    y, x = np.mgrid[:side, :side] - side // 2
    seen = np.zeros((side, side), bool)
    for cx, cy in centers:
        seen |= np.hypot(x - cx, y - cy) < radius
    truth = np.fft.ifft2(np.fft.ifftshift(spectrum * seen)) * side**2
    cut = side // 16
    inner = slice(cut, side - cut)
    found, truth = found[inner, inner], truth[inner, inner]
    weights = np.abs(truth)**2
    error = take_ramp_off(np.exp(1j * np.angle(found * truth.conj())), weights)
    a, b = np.abs(found), np.abs(truth)
    a *= (a * b).sum() / (a * a).sum()
    return np.sqrt((weights * error**2).sum() / weights.sum()), np.sqrt(((a - b)**2).mean()) / b.mean()


def compare_pupil(found, truth, radius):
    q = len(found)
    y, x = np.mgrid[:q, :q] - q // 2
    inside = np.hypot(x, y) < 0.93 * radius
    error = take_ramp_off(np.exp(1j * np.angle(found * truth.conj())), inside.astype(float))
    return np.sqrt((error[inside]**2).mean()) / (2 * np.pi)


def light(side, width, wavelength, distance):
    """What an LED in the middle lights the object with: the curvature that all LEDs have in common no frame tells from
    the object's own. width: of the field, m."""
    y, x = (np.mgrid[:side, :side] - side // 2) * (width / side)
    return np.exp(2j * np.pi / wavelength * (np.sqrt(x**2 + y**2 + distance**2) - distance))


def read_places(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def compare(folder, truth, file, curved):
    """What is known of the truth: phase, amplitude, pupil, places."""
    with h5py.File(file, "r") as recorded:
        size = recorded["ptychogram"].shape[-1]
        unit = size * recorded["dxd"][()] / recorded["magnification"][()] / recorded["wavelength"][()]
        radius = recorded["NA"][()] * unit
        wavelength, distance = recorded["wavelength"][()], recorded["zled"][()]
    truth = np.load(truth)
    centers = truth["directions"] * unit
    of = {}
    complex_truth = truth["object"][..., 0] + 1j * truth["object"][..., 1]
    if curved:
        complex_truth *= light(len(complex_truth), unit * wavelength, wavelength, distance)
    found = np.load(folder / "object.npy")
    pupil = np.load(folder / "pupil.npy")
    found, pupil = (a if np.iscomplexobj(a) else a[..., 0] + 1j * a[..., 1] for a in (found, pupil))
    of["phase"], of["amplitude"] = compare_object(found, complex_truth, centers, radius)
    of["pupil"] = compare_pupil(pupil, truth["pupil"][..., 0] + 1j * truth["pupil"][..., 1], radius)
    rows = read_places(folder / "frames.csv")
    used = [i for i, row in enumerate(rows) if row["held_out"] == row["left_out"] == "0"]
    places = np.array([[float(row["found_column_px"]), float(row["found_row_px"])] for row in rows])
    of["places"] = np.sqrt((np.abs(places[used] - centers[used])**2).sum(1).mean())
    return of


def run_timed(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def prepare(a, case, seed, path):
    """Writes the frames; returns the truth's file, or none."""
    draw = np.random.default_rng(seed)
    name, _, fault = case.partition(":")
    if name in REAL:
        shutil.copy(pathlib.Path(a.real) / f"{name}.hdf5", path)
        path.chmod(0o644)
        if fault == "shifts":
            shift_leds(path, draw, 2)
        elif fault:
            change_frames(path, CASES[fault][1], draw)
        return None
    settings, change = CASES[case]
    options = [f"--set={key}={value}" for key, value in {**settings, "seed": seed}.items()]
    run_timed([a.cli, "simulate", "--scenario", "microscope", *options, path])
    if change is not None:
        change_frames(path, change, draw)
    return pathlib.Path(f"{path}-truth.npz")


def run_one(a, task):
    case, seed = task
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        path = place / "frames.hdf5"
        truth = prepare(a, case, seed, path)
        seconds = run_timed([a.cli, "run", "--measurements", path, "--output", place / "result", "--quiet",
                             *(f"--set={s}" for s in a.set)])
        held = json.loads((place / "result/summary.json").read_text())["held_out"]
        row = {"case": case, "seed": seed, "seconds": seconds, "misfit": held["misfit"],
               "correlation": held["correlation"]}
        if truth is not None:
            row.update(compare(place / "result", truth, path, CASES[case][0].get("curvature", 0) > 0))
    return {key: row.get(key, float("nan")) for key in FIELDS}


def load_rows(path):
    if path is None or not pathlib.Path(path).exists():
        return []
    with open(path, newline="") as file:
        return [{k: v if k == "case" else int(v) if k == "seed" else float(v) for k, v in row.items()}
                for row in csv.DictReader(file)]


def append_row(path, row):
    if path is None:
        return
    new = not pathlib.Path(path).exists()
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if new:
            writer.writeheader()
        writer.writerow(row)


def print_table(rows, cases):
    print("| case | seeds | misfit | correlation | phase, rad | amplitude | pupil, waves | places, px | CPU, s |")
    print("|---" * 9 + "|")
    for case in cases:
        here = [r for r in rows if r["case"] == case]
        if not here:
            continue
        columns = []
        for key, digits in (("misfit", 4), ("correlation", 3), ("phase", 3), ("amplitude", 3), ("pupil", 4),
                            ("places", 2), ("seconds", 1)):
            values = [r[key] for r in here]
            worst = min(values) if key == "correlation" else max(values)
            columns.append(f"{np.median(values):.{digits}f}, {worst:.{digits}f}" if worst == worst else "–")
        print(f"| {case} | {len(here)} | {' | '.join(columns)} |")
    print("\nOf each the median and the worst.")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--cli", required=True)
    p.add_argument("--cases")
    p.add_argument("--seeds", default="1,2,3")
    p.add_argument("--set", action="append", default=[])
    p.add_argument("--real")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--rows")
    a = p.parse_args()
    cases = a.cases.split(",") if a.cases else list(CASES)
    if a.real and not a.cases:
        cases += [f"{name}{fault}" for name in REAL for fault in ("", ":shifts", ":level", ":slope", ":bowl")]
    rows = load_rows(a.rows)
    have = {(r["case"], r["seed"]) for r in rows}
    seeds = [int(s) for s in a.seeds.split(",")]
    tasks = [t for t in ((c, s) for c in cases for s in (seeds if c not in REAL else seeds[:1])) if t not in have]
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for row in pool.map(lambda t: run_one(a, t), tasks):
            rows.append(row)
            append_row(a.rows, row)
            print(*(f"{row[f]:.4f}" if isinstance(row[f], float) else row[f] for f in FIELDS), file=sys.stderr,
                  flush=True)
    print_table([r for r in rows if r["seed"] in seeds], cases)


if __name__ == "__main__":
    main()
