#!/usr/bin/env python3
"""Does ± cover? Simulate microscopes, read marks on their results, and hold what is read against the truth.

    python3 marks.py --cli build/src/cli/prism-cli [--marks 24] 'photons=10000 seed=2' 'photons=3000 gains=0.1' ...

A set is what “simulate” is to --set. Ellipses of 12 to 100 pixels lie where chance puts them; a row has how many of
them have the truth within ± (68 % is right), the root mean square of error over ±, and the resolution with ± beside
the period where the object correlates with the truth by 0.586, as half a bit is there. Needs numpy and h5py.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

import h5py
import numpy as np

from microscopes import resample

READ = ("amplitude", "path_nm", "mass_pg")


def load(path):
    found = np.load(path)
    return found if np.iscomplexobj(found) else found[..., 0] + 1j * found[..., 1]


def get_truth(path, side):
    """What the lights let through, and radii of its spectrum."""
    with h5py.File(path) as file:
        unit = (file["ptychogram"].shape[-1] * file["dxd"][()] / file["magnification"][()] / file["wavelength"][()])
        radius, wavelength = file["NA"][()] * unit, file["wavelength"][()]
    truth = np.load(f"{path}-truth.npz")
    spectrum = resample(truth["object"][..., 0] + 1j * truth["object"][..., 1], side)
    y, x = np.mgrid[:side, :side] - side // 2
    seen = np.zeros((side, side), bool)
    for cx, cy in truth["directions"] * unit:
        seen |= np.hypot(x - cx, y - cy) < radius
    return np.fft.ifft2(np.fft.ifftshift(spectrum * seen)) * side**2, wavelength


def get_period(found, truth, pixel):
    side = len(found)
    fade = np.sin(np.pi * (np.arange(side) + 0.5) / side)**2
    a, b = (np.fft.fftshift(np.fft.fft2((f - f.mean()) * fade * fade[:, None])) for f in (found, truth))
    ring = np.hypot(*(np.mgrid[:side, :side] - side // 2)).round().astype(int).ravel()
    product, p, q = (np.bincount(ring, v.ravel()) for v in ((a * b.conj()).real, abs(a)**2, abs(b)**2))
    curve = (product / np.sqrt(p * q))[:side // 2]
    best = curve.argmax()
    return side * pixel / (best + (curve[best:] < 0.586).argmax())


def read(mark, amplitude, phase, wavelength, pixel):
    """Mean amplitude, optical path against the frame around, and dry mass, as the program reads them."""
    left, top, right, bottom = mark
    w, h = right - left + 1, bottom - top + 1
    y, x = np.mgrid[:len(phase), :len(phase)]
    inside = ((x + 0.5 - left - w / 2) / (w / 2))**2 + ((y + 0.5 - top - h / 2) / (h / 2))**2 <= 1
    box = (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
    around = (x >= left - w // 2) & (x < left - w // 2 + 2 * w) & (y >= top - h // 2) & (y < top - h // 2 + 2 * h) & ~box
    path = 1e9 * wavelength / (2 * np.pi) * (phase[inside].mean() - phase[around].mean())
    return amplitude[inside].mean(), path, 1e-3 * path * inside.sum() * (1e6 * pixel)**2 / 0.18


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--cli", required=True)
    p.add_argument("--marks", type=int, default=24)
    p.add_argument("sets", nargs="+")
    a = p.parse_args()
    print("| set |" + "".join(f" {r} |" for r in READ) + " resolution | truth |\n" + "|---" * (3 + len(READ)) + "|")
    for text in a.sets:
        with tempfile.TemporaryDirectory() as folder:
            path, out = pathlib.Path(folder) / "frames.hdf5", pathlib.Path(folder) / "result"
            subprocess.run([a.cli, "simulate", *(f"--set={s}" for s in text.split()), path], check=True, capture_output=True)
            subprocess.run([a.cli, "run", "--measurements", path, "--output", out, "--quiet"], check=True)
            found, draw = load(out / "object.npy"), np.random.default_rng(1)
            truth, wavelength = get_truth(path, len(found))
            marks = []
            for _ in range(a.marks):
                w, h = draw.integers(12, 100, 2)
                left, top = (draw.integers(0, len(found) - s) for s in (w, h))
                marks.append((left, top, left + w - 1, top + h - 1))
            listed = ";".join("ellipse " + " ".join(map(str, m)) for m in marks)
            subprocess.run([a.cli, "resolution", out, "--quiet", "--marks", listed], check=True)
            summary = json.loads((out / "summary.json").read_text())
            pixel = 1e-6 * summary["object"]["pixel_um"]
            amplitude, phase = abs(truth), np.angle(truth * np.exp(-1j * np.angle(truth.mean())))
            amplitude *= (amplitude * abs(found)).sum() / (amplitude**2).sum()
            with open(out / "marks.csv", newline="") as file:
                ratios = [[(float(row[name]) - true) / float(row[f"{name}_error"])
                           for name, true in zip(READ, read(mark, amplitude, phase, wavelength, pixel))]
                          for row, mark in zip(csv.DictReader(file), marks)]
        cells = [f"{100 * np.mean(np.abs(r) < 1):.0f} %, {np.sqrt(np.mean(np.square(r))):.1f}" for r in np.array(ratios).T]
        of = summary["resolution"]
        print(f"| {text} | " + " | ".join(cells) + f" | {of['nm']:.0f} ± {of['error_nm']:.0f} nm"
              f" | {1e9 * get_period(found, truth, pixel):.0f} nm |", flush=True)


if __name__ == "__main__":
    main()
