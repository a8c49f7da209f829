#!/usr/bin/env python3
"""Would frames be explained better if LEDs were no points and of no single colour?

    python3 extended_light.py FRAMES.hdf5 RESULT [--size PX] [--band SHARE] [--rim PX] [--leave-out 17,...] [--passes 8]
    python3 extended_light.py --make SIMULATED.hdf5 --size PX --band SHARE [--photons N]

A frame is then an incoherent sum over places of its LED: of SIZE, one standard deviation each way in pixels of the
spectrum (four points), and over colours, BAND, that of the wavelength over its mean (three). With the object, pupil and
places of RESULT alone a table says, of frames inside the NA, on its edge, outside and of those held out, the misfit, by
how much of the amplitude such light (0.6 and 0.015) changes them, the size and the band that they ask for by least
squares, and the share of the misfit's square that goes. Then eight passes as the program takes them explain the frames
with --size and --band, from the pupil, places and gains of RESULT and the innermost frame; --make computes the frames of
“simulate --scenario microscope --set photons=0 --set defocus=3e-5” anew with such light. Needs numpy, scipy and h5py.
"""
import argparse
import json
import pathlib
import sys

import h5py
import numpy as np
from scipy import fft

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))
from open_results import keys

SQUARE = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)]) * 2**0.5
COLOURS = (-3**0.5, 1 / 6), (0, 2 / 3), (3**0.5, 1 / 6)
SIZE, BAND = 0.6, 0.015  # of the table


def get_points(place, size, band):
    """Places, by how much the pupil is larger there, weights."""
    colours = COLOURS if band else [(0, 1)]
    points = SQUARE if size else np.zeros((1, 2))
    return [(place * (1 + band * c) + size * p, 1 + band * c, w / len(points)) for c, w in colours for p in points]


def make(path, size, band, photons):
    truth = np.load(f"{path}-truth.npz")
    found = truth["object"][..., 0] + 1j * truth["object"][..., 1]
    with h5py.File(path, "r+") as file:
        frames, wavelength, na = file["ptychogram"], file["wavelength"][()], file["NA"][()]
        q, pixel, side = frames.shape[-1], file["dxd"][()] / file["magnification"][()], len(found)
        spectrum = np.pad(np.fft.fftshift(np.fft.fft2(found)) / side**2, q)
        y, x = np.mgrid[:q, :q] - q // 2
        square = np.linspace(-1, 1, 5) * size * 2**0.5
        colours = np.linspace(-2, 2, 7)
        weights = np.exp(-colours**2 / 2) / np.exp(-colours**2 / 2).sum()
        colours *= band / np.sqrt((weights * colours**2).sum())
        light = np.zeros(frames.shape)
        for j, direction in enumerate(truth["directions"]):
            for c, w in zip(colours, weights):
                unit = q * pixel / wavelength / (1 + c)
                for place in (direction * unit + (a, b) for a in square for b in square):
                    whole = np.round(place).astype(int)
                    r2 = ((x + whole[0] - place[0])**2 + (y + whole[1] - place[1])**2) / unit**2
                    wave = np.exp(6e-5j * np.pi * np.sqrt(np.maximum(1 - r2, 0)) / wavelength / (1 + c)) * (r2 <= na**2)
                    top, left = q + side // 2 - q // 2 + whole[::-1]
                    wave = np.fft.ifft2(np.fft.ifftshift(spectrum[top:top + q, left:left + q] * wave))
                    light[j] += w / 25 * np.abs(wave * q**2)**2
        if photons:
            light = np.random.default_rng(1).poisson(light * photons / light[0].mean())
        frames[...] = light


def move(pupil, by):
    for axis, d in (1, -by[0]), (0, -by[1]):
        whole = int(np.floor(d))
        pupil = sum(w * np.roll(pupil, 1 - whole - k, axis) for k, w in enumerate(keys(d - whole)))
    return pupil


class Model:
    def __init__(self, frames, result, rim, left_out):
        with h5py.File(f"{result}/result.h5") as file:
            model, table = file["entry/model"], file["entry/frames"]
            self.border, self.radius = int(model["border"][()]), float(model["radius"][()])
            self.rim, self.pupil = rim or float(model["rim"][()]), model["pupil"][()].astype("c8")
            self.n, side = len(self.pupil), len(model["object"])
            self.spectrum = fft.fftshift(fft.fft2(model["object"][()])).astype("c8") * (self.n / side)**2
            held, seen = model["held_out"][()], model["held_out_amplitudes"][()]
            self.places, self.recorded, self.gains = (table[k][()] for k in ("place", "recorded", "gain"))
        with h5py.File(frames) as file:
            q, all_of = self.n - 2 * self.border, file["ptychogram"][()].astype("f8")
            first = (all_of.shape[-1] - q) // 2
            all_of = all_of[:, first:first + q, first:first + q]
        scale = np.polyfit(all_of[held[0]].ravel(), seen[0].ravel()**2, 1)[0]
        background = json.loads(pathlib.Path(result, "summary.json").read_text())["frames"]["background"]
        self.amplitudes = np.sqrt(np.maximum(scale * (all_of - background), 0)).astype("f4")
        self.gains[~(self.gains > 0)] = 1
        self.distances = np.hypot(*self.recorded.T) / self.radius
        self.held = held
        self.used = [j for j in np.argsort(self.distances, kind="stable") if j not in held and j not in left_out]
        self.x, self.y = np.meshgrid(*2 * [np.arange(self.n) - self.n // 2])
        self.seen = np.s_[self.border:self.n - self.border, self.border:self.n - self.border]
        self.mask = np.hypot(self.x, self.y) <= max(1.06 * self.radius, self.radius + self.rim / 2)

    def form(self, j, size, band):
        """Amplitude, and of each point its field, pupil, rim, window, offset and weight."""
        points, light = [], 0
        for place, larger, weight in get_points(self.places[j], size, band):
            whole = np.floor(place + 0.5).astype(int)
            off = place - whole
            disk = (self.radius * larger - np.hypot(self.x - off[0], self.y - off[1])) / self.rim + 0.5
            disk = np.clip(disk, 0, 1).astype("f4")
            pupil = move(self.pupil, off) * disk
            left, top = len(self.spectrum) // 2 - self.n // 2 + whole
            window = np.s_[top:top + self.n, left:left + self.n]
            field = fft.ifft2(self.spectrum[window] * pupil)
            light = light + weight * np.abs(field)**2
            points.append((field, pupil, disk, window, off, np.float32(weight)))
        return np.sqrt(light), points

    def tell(self, j):
        """Squares of misfit and frame, of the change by size and by band, and what both ask of each other."""
        plain, one, two = (self.form(j, *light)[0][self.seen].ravel() for light in ((0, 0), (SIZE, 0), (0, BAND)))
        frame = self.amplitudes[j].ravel() * np.sqrt((plain**2).sum() / (self.amplitudes[j]**2).sum())
        basis = np.stack([v * np.sqrt((plain**2).sum() / (v**2).sum()) - plain for v in (one, two)])
        rest = frame - plain
        return np.array([rest @ rest, *basis @ rest, *(basis @ basis.T).ravel()]) / (frame @ frame)

    def visit(self, j, step, pupil_step, light, is_free, teaches=True):
        amplitude, points = self.form(j, *light)
        frame, made = self.amplitudes[j], amplitude[self.seen]
        gain = np.sqrt((made**2).sum() / (frame**2).sum()) if is_free else self.gains[j]
        ratio = np.zeros((self.n, self.n), "f4")
        ratio[self.seen] = gain * frame / np.maximum(made, 1e-12) - 1
        brightest = max((np.abs(p[1])**2).max() for p in points)
        largest = max((np.abs(self.spectrum[p[3]])**2).max() for p in points)
        steps, pupil, forces = [], 0, np.zeros(5)
        for field, shifted, disk, window, off, weight in points:
            back, wave = weight * fft.fft2(field * ratio), self.spectrum[window]
            square = np.abs(wave)**2
            steps.append((window, np.float32(step / brightest) * np.conj(shifted) * back))
            pupil = pupil + self.mask * move(disk * np.sqrt(square) / (square + 1e-3 * largest) * np.conj(wave) * back, -off)
            ax, ay = ((np.roll(shifted, 1, k) - np.roll(shifted, -1, k)) / 2 for k in (1, 0))
            back, square = np.conj(wave) * back, square * weight
            forces += [(np.conj(ax) * back).real.sum(), (np.conj(ay) * back).real.sum(), (np.abs(ax)**2 * square).sum(),
                       (np.abs(ay)**2 * square).sum(), ((ax * np.conj(ay)).real * square).sum()]
        for window, change in steps:
            self.spectrum[window] += change
        self.pupil += (np.float32(pupil_step / np.sqrt(largest)) * pupil).astype("c8")
        if teaches:
            self.gains[j] = gain
            misfit = np.sqrt(((made - gain * frame)**2).sum() / (gain * frame**2 * gain).sum())
        if teaches and pupil_step > 0:
            shift = np.linalg.solve([[forces[2], forces[4]], [forces[4], forces[3]]], forces[:2]) / (1 + (misfit / 0.4)**4)
            self.places[j] += shift

    def place_board(self):
        """Held-out frames go where the board has taken the others."""
        k, d = ((v @ [1, 1j]) for v in (self.recorded, self.places - self.recorded))
        basis, weights = np.stack([np.ones(len(self.used)), k[self.used]], 1), np.ones(len(self.used))
        for _ in range(4):
            root = np.sqrt(weights)
            fit = np.linalg.lstsq(basis * root[:, None], d[self.used] * root, rcond=None)[0]
            weights = 0.1 / (0.1 + np.abs(d[self.used] - basis @ fit))
        for j in self.held:
            at = k[j] + fit[0] + fit[1] * k[j]
            self.places[j] = at.real, at.imag

    def explain(self, n_passes, light):
        self.spectrum[:] = 0
        first = len(self.spectrum) // 2 - self.n // 2
        frame = np.pad(self.amplitudes[self.used[0]], self.border, mode="reflect")
        self.spectrum[first:first + self.n, first:first + self.n] = (
            np.conj(self.pupil) * self.mask * fft.fftshift(fft.fft2(frame)))
        bright = [j for j in self.used if self.distances[j] < 1]
        for i in range(n_passes):
            step = 1 / (1 + 0.35 * i)
            for j in self.used:
                self.visit(j, step, 0.15 * step / (1 + 0.1 * i) if i > 1 else 0, light, i > 0)
            rim = [j for j in self.used if abs(np.hypot(*self.places[j]) / self.radius - 1) <= 0.1]
            for j in rim * ((20 if i > 2 else 6) if i < min(5, n_passes - 3) else 0):
                self.visit(j, 0.7 * step, 0, light, False, False)
            self.gains[self.used] /= np.exp(np.log(self.gains[bright]).mean())
            if i > 1:
                self.place_board()

    def score(self, light):
        sums = []
        for j in self.held:
            made, frame = self.form(j, *light)[0][self.seen], self.amplitudes[j]
            gain = (made * frame).sum() / (made**2).sum()
            sums.append((((gain * made - frame)**2).sum(), (frame**2).sum(), np.corrcoef(made.ravel(), frame.ravel())[0, 1]))
        error, energy, correlation = np.array(sums).T
        dark = self.distances[self.held] > 1.15
        return np.sqrt(error.sum() / energy.sum()), np.median(correlation), np.sqrt((error / energy)[dark].mean())


def print_table(model):
    d = model.distances
    held = np.isin(np.arange(len(d)), model.held)
    groups = {"inside": ~held & (d < 0.9), "on the NA edge": ~held & (d >= 0.9) & (d < 1.15), "outside": ~held & (d >= 1.15),
              "held out, inside": held & (d < 1), "held out, outside": held & (d >= 1.15)}
    print("| frames | misfit | changed by size, band | ask for size, band | share |\n|---|---|---|---|---|")
    for name, which in groups.items():
        told = np.array([model.tell(j) for j in np.flatnonzero(which)])
        if len(told) == 0:
            continue
        # Each frame counts alike, whatever its misfit.
        total = (told / told[:, :1]).mean(0)
        wanted = np.linalg.solve(total[3:].reshape(2, 2), total[1:3])
        found = np.sign(wanted) * np.sqrt(np.abs(wanted)) * (SIZE, BAND)
        rms = np.sqrt(told[:, [0, 3, 6]].mean(0))
        print(f"| {name} ({len(told)}) | {rms[0]:.3f} | {rms[1]:.3f}, {rms[2]:.3f} | {found[0]:.2f} px, {100 * found[1]:.1f} % | "
              f"{100 * (wanted @ total[1:3]):.1f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("frames")
    parser.add_argument("result", nargs="?")
    parser.add_argument("--make", action="store_true")
    for name in ("size", "band", "rim", "photons"):
        parser.add_argument(f"--{name}", type=float, default=0)
    parser.add_argument("--leave-out", default="")
    parser.add_argument("--passes", type=int, default=8)
    given = parser.parse_args()
    if given.make:
        return make(given.frames, given.size, given.band, given.photons)
    left_out = [int(j) for j in given.leave_out.split(",") if j]
    model, light = Model(given.frames, given.result, given.rim, left_out), (given.size, given.band)
    if light == (0, 0):
        print_table(model)
    model.explain(given.passes, light)
    print("size {:g}, band {:g}: misfit {:.4f}, correlation {:.4f}, outside the NA {:.4f}".format(*light, *model.score(light)))


if __name__ == "__main__":
    main()
