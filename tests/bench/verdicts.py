#!/usr/bin/env python3
"""Spoil simulated recordings in many ways, explain them, and count verdicts that the truth contradicts.

    python3 verdicts.py --cli build/src/cli/prism-cli [--cases plain,swapped] [--seeds 1,2,3,4] [--set key=value]...
                        [--rows rows.csv]

A verdict is wrong where it says “explained” (as far as an NA) and the object, below that NA, correlates with the
truth by less than WRONG; where it says “not explained” and the object correlates by more than RIGHT; and where an
object that is rightly not explained gets a first cause that is not among those of its case. “Still improving” is wrong
where twice as many passes bring the object no nearer to the truth. Numbers of the program
were chosen on odd seeds; even seeds judge them. --rows keeps every run as a line of CSV and resumes from it. Needs
numpy and h5py.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

from microscopes import resample

RIGHT, WRONG = 0.98, 0.8
FIELDS = ["case", "seed", "verdict", "cause", "na", "misfit", "correlation", "expected", "truth", "whole", "more", "fault"]
BASE = {"size": 64, "per_side": 9}


class Set:
    """Frames [N][q][q], positions of LEDs [N][2] as y x in m, directions [N][2], and numbers of the instrument."""

    def __init__(self, path):
        self.path = path
        with h5py.File(path, "r") as file:
            self.frames = file["ptychogram"][()].astype(float)
            self.encoder, self.k_na = file["encoder"][()], file["k_na"][()]
            self.numbers = {key: float(file[key][()]) for key in ("wavelength", "NA", "zled", "dxd", "magnification")}

    def save(self):
        with h5py.File(self.path, "w") as file:
            file["ptychogram"] = self.frames.astype(np.float32)
            file["encoder"], file["k_na"] = self.encoder, self.k_na
            for key, value in self.numbers.items():
                file[key] = value

    def move(self, change):
        """change: of x y columns, the same for positions and directions."""
        self.encoder = change(self.encoder[:, ::-1])[:, ::-1]
        self.k_na = change(self.k_na)

    def order(self, frames):
        self.frames = self.frames[frames]


def swap(s, draw):
    for _ in range(3):
        a, b = draw.choice(len(s.frames), 2, replace=False)
        s.frames[[a, b]] = s.frames[[b, a]]


def shuffle(s, draw):
    s.order(draw.permutation(len(s.frames)))


def sort_rows(s):
    """The simulation's order is a spiral."""
    by = np.lexsort((s.encoder[:, 1].round(6), s.encoder[:, 0].round(6)))
    s.frames, s.encoder, s.k_na = s.frames[by], s.encoder[by], s.k_na[by]
    return round(len(s.frames)**0.5)


def serpentine(s, draw):
    """Frames go to and fro, positions do not."""
    n = sort_rows(s)
    order = np.arange(n * n).reshape(n, n)
    order[1::2] = order[1::2, ::-1]
    s.order(order.ravel())


def delay(s, draw):
    """The camera is a frame late, as where the first trigger was lost."""
    sort_rows(s)
    s.order(np.roll(np.arange(len(s.frames)), 1))


def transpose_order(s, draw):
    """Frames are row by row, positions column by column."""
    n = sort_rows(s)
    s.order(np.arange(n * n).reshape(n, n).T.ravel())


def mirror(s, draw):
    s.move(lambda p: p * [-1, 1])


def transpose_axes(s, draw):
    s.move(lambda p: p[:, ::-1].copy())


def rotate(s, draw):
    angle = np.radians(draw.choice([-1, 1]) * draw.uniform(8, 25))
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    s.move(lambda p: p @ turn)


def shift(s, draw):
    """The board lies 1.5 to 3 mm from where it is said, each way."""
    by = draw.uniform(1.5, 3, 2) * draw.choice([-1, 1], 2)
    s.encoder = s.encoder + by[::-1] * 1e-3
    s.k_na = s.k_na + np.sign((s.k_na * s.encoder[:, ::-1]).sum()) * by * 1e-3 / s.numbers["zled"]


def scale_number(key, factor):
    def change(s, draw):
        s.numbers[key] *= factor
    return change


def darken(s, draw):
    s.frames[draw.choice(len(s.frames), 2, replace=False)] *= 0.001


def drift_sample(s, draw):
    """The sample creeps by six pixels of a frame while the LEDs step."""
    way = draw.uniform(0, 2 * np.pi)
    k = np.fft.fftfreq(s.frames.shape[1])
    for j, frame in enumerate(s.frames):
        by = 6 * j / len(s.frames) * np.array([np.cos(way), np.sin(way)])
        ramp = np.exp(-2j * np.pi * (k[:, None] * by[0] + k * by[1]))
        s.frames[j] = np.maximum(np.fft.ifft2(np.fft.fft2(frame) * ramp).real, 0)


def drift_light(s, draw):
    """The lamp falls to a third of its light."""
    s.frames *= np.linspace(1, 1 / 3, len(s.frames))[:, None, None]


def digitise(s, draw):
    """8 bits with a level of 2 and a noise of half a step, as cheap cameras have."""
    frames = s.frames / np.quantile(s.frames, 0.9999) * 250 + 2 + draw.normal(0, 0.5, s.frames.shape)
    s.frames = np.clip(np.round(frames), 0, 255)


def saturate(s, draw):
    s.frames = np.minimum(s.frames, np.quantile(s.frames[s.frames.mean((1, 2)) > 0.2 * s.frames.mean((1, 2)).max()],
                                                0.7))


def clip(s, draw):
    """A level is taken off that is too high: half of the dark field's light is cut off."""
    s.frames = np.maximum(s.frames - np.median(s.frames[s.frames.mean((1, 2)) < np.median(s.frames.mean((1, 2)))]), 0)


def glare(s, draw):
    """Stray light of 2 % of a bright frame, with a slope, brighter in some frames."""
    x = np.linspace(0.3, 1.7, s.frames.shape[2])
    s.frames = s.frames + 0.02 * s.frames.max((1, 2)).max() * x * draw.uniform(0.3, 1, len(s.frames))[:, None, None]


def duplicate(s, draw):
    n = len(s.frames)
    s.frames, s.encoder, s.k_na = (np.concatenate((a, a)) for a in (s.frames, s.encoder, s.k_na))
    s.frames[n:] *= 1 + draw.normal(0, 0.01, s.frames[n:].shape)


def mix_colours(s, draw):
    """Half of the light has a wavelength a quarter shorter."""
    s.frames = s.frames + s.second.frames * s.frames.mean() / s.second.frames.mean()


def take_roots(s, draw):
    s.frames = np.sqrt(s.frames)


def thicken(s, draw):
    """Two strong layers 100 µm apart instead of what was simulated, by multiple slices."""
    q, n = s.frames.shape[1], 4 * s.frames.shape[1]
    pixel, wavelength = s.numbers["dxd"] / s.numbers["magnification"] * q / n, s.numbers["wavelength"]
    layers = [np.exp(1j * blur(draw, n, 1.2)) for _ in range(2)]
    k = np.fft.fftfreq(n, pixel)
    square = k[:, None]**2 + k**2
    drop = np.exp(-1j * np.pi * wavelength * 1e-4 * square)
    inside = np.sqrt(square) < s.numbers["NA"] / wavelength
    y, x = np.mgrid[:n, :n] * pixel
    for j, (na_x, na_y) in enumerate(s.k_na):
        cycles = np.round(-np.array([na_x, na_y]) / wavelength * n * pixel) / (n * pixel)
        wave = layers[0] * np.exp(-2j * np.pi * (cycles[0] * x + cycles[1] * y))
        wave = np.fft.fft2(np.fft.ifft2(np.fft.fft2(wave) * drop) * layers[1]) * inside
        wave = np.fft.fftshift(wave)[n // 2 - q // 2:n // 2 + q // 2, n // 2 - q // 2:n // 2 + q // 2]
        s.frames[j] = np.abs(np.fft.ifft2(np.fft.ifftshift(wave)))**2
    s.frames += s.frames.max() * draw.normal(0, 1e-5, s.frames.shape)
    s.frames = np.maximum(s.frames, 0)


def blur(draw, n, strength):
    k = np.hypot(np.fft.fftfreq(n)[:, None], np.fft.fftfreq(n))
    field = np.fft.ifft2(np.fft.fft2(draw.normal(size=(n, n))) * np.exp(-(k / 0.06)**2)).real
    return strength * field / field.std()


ANY = ("light", "order", "geometry", "specimen")
# Name → what is simulated, what is done to the frames, causes that are right where they are not explained.
CASES = {
    "plain": ({}, None, ANY),
    "clean": ({"photons": 0}, None, ANY),
    "bars": ({"specimen": 1, "pitch": 3e-3, "per_side": 11}, None, ANY),
    "aberrated": ({"astigmatism": 0.15, "coma": 0.1}, None, ANY),
    "noisy": ({"photons": 3e4}, None, ("light",)),
    "noise": ({"photons": 300}, None, ("light",)),
    "swapped": ({}, swap, ("order",)),
    "shuffled": ({}, shuffle, ("order",)),
    "transposed-order": ({}, transpose_order, ("order", "geometry")),
    "serpentine": ({}, serpentine, ("order",)),
    "late": ({}, delay, ("order",)),
    "mirrored": ({}, mirror, ("geometry",)),
    "mirrored-small": ({"size": 32}, mirror, ("geometry",)),
    "transposed-axes": ({}, transpose_axes, ("geometry",)),
    "rotated": ({}, rotate, ("geometry",)),
    "shifted": ({}, shift, ("geometry",)),
    "wavelength": ({}, scale_number("wavelength", 1.3), ("geometry",)),
    "na": ({}, scale_number("NA", 0.7), ("geometry",)),
    "pixel": ({}, scale_number("dxd", 0.6), ("geometry",)),
    "dark": ({}, darken, ("light",)),
    "drift": ({}, drift_sample, ("geometry", "order", "specimen")),
    "lamp": ({}, drift_light, ("light",)),
    "8-bit": ({}, digitise, ("light",)),
    "full": ({}, saturate, ("light",)),
    "clipped": ({}, clip, ("light",)),
    "glare": ({}, glare, ("light",)),
    "roots": ({}, take_roots, ("light",)),
    "duplicate": ({}, duplicate, ANY),
    "colours": ({}, mix_colours, ("light",)),
    "thick": ({}, thicken, ("specimen",)),
}
NO_TRUTH = ("thick",)


def simulate(a, settings, seed, path):
    options = [f"--set={key}={value}" for key, value in {**BASE, **settings, "seed": seed}.items()]
    subprocess.run([a.cli, "simulate", *options, path], capture_output=True, check=True)
    return Set(path)


def prepare(a, case, seed, path):
    settings, spoil, _ = CASES[case]
    s = simulate(a, settings, seed, path)
    if case == "colours":
        s.second = simulate(a, {**settings, "wavelength": 4.7e-7}, seed, f"{path}-second.hdf5")
    if spoil is not None:
        spoil(s, np.random.default_rng(1000 * seed + len(case)))
        s.save()


def keep(spectrum, radius):
    side = len(spectrum)
    y, x = np.mgrid[:side, :side] - side // 2
    return spectrum * (np.hypot(x, y) < radius)


def correlate(found, truth, radius):
    """Complex correlation without the mean, a ramp of the phase taken off, below a radius of the spectrum."""
    side = len(found)
    spectra = [keep(resample(f, side), radius) for f in (found, truth)]
    found, truth = (np.fft.ifft2(np.fft.ifftshift(s)) * side**2 for s in spectra)
    cut = slice(side // 16, side - side // 16)
    found, truth = found[cut, cut], truth[cut, cut]
    best = 0
    for f in (found, found.conj()):
        product = np.fft.fft2(f * truth.conj(), [4 * len(f)] * 2)
        row, column = np.unravel_index(np.abs(product).argmax(), product.shape)
        k = np.arange(len(f)) / (4 * len(f))
        f = f * np.exp(-2j * np.pi * (row * k[:, None] + column * k))
        factor = (truth * f.conj()).sum() / (np.abs(f)**2).sum()
        f, t = factor * f, truth
        f, t = f - f.mean(), t - t.mean()
        best = max(best, abs((f * t.conj()).sum()) / np.sqrt((np.abs(f)**2).sum() * (np.abs(t)**2).sum()))
    return best


def compare(folder, truth, numbers, na):
    """numbers: of the true instrument; na: what the verdict speaks of, 0: all. Returns the correlation there, and of
    all that frames reach."""
    with np.load(truth) as of:
        truth = of["object"][..., 0] + 1j * of["object"][..., 1]
        reach = np.hypot(*of["directions"].T).max() + numbers["NA"]
    found = np.load(folder / "object.npy")
    unit = numbers["size"] * numbers["dxd"] / numbers["magnification"] / numbers["wavelength"]
    return [correlate(found, truth, unit * limit) for limit in (na or reach, reach)]


def judge(case, row):
    """What is wrong with a verdict; nothing: an empty text."""
    says = row["verdict"].startswith("explained")
    if row["verdict"] == "refused":
        return ""
    if row["verdict"] == "still improving":
        return "" if row["more"] > row["truth"] else row["verdict"]
    if case in NO_TRUTH:
        if says:
            return "explained"
    elif says:
        return "" if row["truth"] >= WRONG else "explained"
    elif row["truth"] > RIGHT:
        return "not explained"
    return "" if row["cause"] in CASES[case][2] else "cause"


def explain(a, path, result, *options):
    return subprocess.run([a.cli, "run", "--measurements", path, "--output", result, "--quiet",
                           *(f"--set={s}" for s in (*a.set, *options))], capture_output=True, text=True)


def run_one(a, case, seed):
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        path = place / "frames.hdf5"
        prepare(a, case, seed, path)
        done = explain(a, path, place / "result")
        if done.returncode != 0:  # a sentence before a run says what is wrong
            print(case, seed, done.stderr, file=sys.stderr)
            return {**{f: 0 for f in FIELDS}, "case": case, "seed": seed, "verdict": "refused", "cause": "", "fault": ""}
        summary = json.loads((place / "result/summary.json").read_text())
        held = summary["held_out"]
        row = {"case": case, "seed": seed, "verdict": summary["verdict"], "cause": summary.get("cause") or "",
               "na": summary.get("signal_to_na") or 0, "misfit": held["misfit"], "correlation": held["correlation"],
               "expected": held.get("expected_correlation") or 0}
        true = simulate(a, CASES[case][0], seed, place / "true.hdf5")
        true.numbers["size"] = true.frames.shape[1]
        row["truth"], row["whole"] = compare(place / "result", f"{path}-truth.npz", true.numbers, row["na"])
        row["more"] = row["truth"]
        if row["verdict"] == "still improving":
            explain(a, path, place / "more", f"passes={2 * int(summary['settings']['passes'])}")
            row["more"] = compare(place / "more", f"{path}-truth.npz", true.numbers, row["na"])[0]
    row["fault"] = judge(case, row)
    return row


def load_rows(path):
    if path is None or not pathlib.Path(path).exists():
        return []
    with open(path, newline="") as file:
        return [{k: v if k in ("case", "verdict", "cause", "fault") else int(v) if k == "seed" else float(v)
                 for k, v in row.items()} for row in csv.DictReader(file)]


def append_row(path, row):
    if path is None:
        return
    new = not pathlib.Path(path).exists()
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if new:
            writer.writeheader()
        writer.writerow(row)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--cli", required=True)
    p.add_argument("--cases")
    p.add_argument("--seeds", default="1,2,3,4")
    p.add_argument("--set", action="append", default=[])
    p.add_argument("--rows")
    a = p.parse_args()
    cases = a.cases.split(",") if a.cases else list(CASES)
    seeds = [int(s) for s in a.seeds.split(",")]
    rows = load_rows(a.rows)
    for row in rows:
        row["fault"] = judge(row["case"], row)
    have = {(r["case"], r["seed"]) for r in rows}
    for case in cases:
        for seed in seeds:
            if (case, seed) not in have:
                rows.append(run_one(a, case, seed))
                append_row(a.rows, rows[-1])
    print("| case | seed | verdict | first cause | to NA | misfit | correlation | expected | truth there, of all | wrong |")
    print("|---" * 10 + "|")
    for r in rows:
        if r["case"] in cases and r["seed"] in seeds:
            print(f"| {r['case']} | {r['seed']} | {r['verdict']} | {r['cause']} | {r['na']:.3f} | {r['misfit']:.3f} |"
                  f" {r['correlation']:.3f} | {r['expected']:.3f} | {r['truth']:.3f}, {r['whole']:.3f} | {r['fault']} |")
    for name, half in (("chosen on", 1), ("judged by", 0)):
        of = [r for r in rows if r["case"] in cases and r["seed"] in seeds and r["seed"] % 2 == half]
        print(f"\n{name}: {sum(r['fault'] != '' for r in of)} of {len(of)} wrong.")


if __name__ == "__main__":
    main()
