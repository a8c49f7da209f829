#!/usr/bin/env python3
"""In which order do the fewest frames tell nearly all? Prints a Markdown table of how many each order needs.

    python3 next_frame.py --cli build/src/cli/prism-cli [--real FOLDER] [--sets red,edge,rings] [--scenes city,page]
                          [--noise 30] [--orders spiral,even]

From how many on does an order stay within 0.02 of the held-out correlation of all, of the telescope (scenes.py,
overlapping) within 1 dB? Between numbers that were tried it is a straight line. Pupil and places are known, as of an
instrument that was used before. Fixed: spiral (from the middle), random, even (the next as far from all as can be),
energy (the brightest first, as who knew them). Before each batch the picture is asked by power (most of the spectrum S
where no pupil was) and posterior (most of Σ S/(1 + nS/σ²), n pupils that were there, σ² the noise); where nothing was
measured S is a power law of |k|. “truth” is posterior with the S that all frames tell. Needs numpy and h5py.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

import h5py
import numpy as np

import scenes

ASKING = ("power", "posterior", "truth")
ORDERS = ",".join(("spiral", "random", "even", "energy", *ASKING))
FIRST, GROW = 16, 1.4  # frames of the first batch, and how fast there are more
LONGEST = 255  # of the parameter leave_out
SETS = {"red": ("bloodsmear_red", 8), "edge": ("blood_aberration", 8), "rings": ("rings_usaf", 5)}


def cut(plane, place, radius):
    """What is within a pupil, and where that is."""
    n, reach = len(plane), int(radius) + 1
    top, left = (int(round(c)) + n // 2 - reach for c in place)
    box = np.s_[max(top, 0):top + 2 * reach + 1, max(left, 0):left + 2 * reach + 1]
    rows, columns = (np.arange(n)[s] - n // 2 for s in box)
    return plane[box] * (np.hypot(columns - place[1], (rows - place[0])[:, None]) <= radius), box


class Case:
    near, signs = 0.02, (1, )  # of a real object the opposite place is the same

    def visit(self, n, j):
        for place in (self.places[j] * sign for sign in self.signs):
            disk, box = cut(np.ones(n.shape), place, self.radius)
            n[box] += disk

    def ask(self, order, chosen, total):
        """More frames, one after the other, by what is known of the picture."""
        chosen, power = list(chosen), abs((self.all if order == "truth" else self.estimate(chosen))[1])**2
        far, n = np.hypot(*(np.mgrid[:len(power), :len(power)] - len(power) // 2)), np.zeros(power.shape)
        for j in chosen:
            self.visit(n, j)
        if order != "truth":
            rings = [(r, power[s].mean()) for r in range(3, len(n) // 2, 2) if (s := (n > 0) & (abs(far - r) < 1)).any()]
            slope, level = np.polyfit(*np.log(np.array(rings).T + 1e-30), 1)
            power = np.where(n > 0, power, np.exp(level + slope * np.log(np.maximum(far, 1))))
        noise = np.quantile(power[n > 0], 0.1)
        while len(chosen) < total:
            gain = np.where(n > 0, 0, power) if order == "power" else power / (1 + n * power / noise)
            rest = np.setdiff1d(self.used, chosen)
            chosen.append(max(rest, key=lambda j: cut(gain, self.places[j], self.radius)[0].sum()))
            self.visit(n, chosen[-1])
        return chosen

    def arrange(self, order):
        """All frames in a fixed order; those that ask begin with the spiral."""
        spiral = sorted(self.used, key=lambda j: np.hypot(*self.places[j]))
        if order == "random":
            return [spiral[0], *np.random.default_rng(0).permutation(spiral[1:])]
        if order == "energy":
            return sorted(self.used, key=lambda j: -np.linalg.norm(cut(self.all[1], self.places[j], self.radius)[0]))
        chosen, nearest = spiral[:1], np.full(len(self.places), np.inf)
        while order == "even" and len(chosen) < len(spiral):
            for sign in self.signs:
                nearest = np.minimum(nearest, np.hypot(*(self.places - sign * self.places[chosen[-1]]).T))
            chosen.append(max(np.setdiff1d(self.used, chosen), key=lambda j: nearest[j]))
        return chosen if order == "even" else spiral

    def count_needed(self, order):
        fixed, n, scores, goal = self.arrange(order), FIRST, [], self.all[0] - self.near
        chosen = fixed[:n]
        while n < len(fixed):
            scores.append((n, self.estimate(chosen)[0]))
            n = min(round(GROW * n), len(fixed))
            chosen = self.ask(order, chosen, n) if order in ASKING else fixed[:n]
        scores.append((n, self.all[0]))
        last = max([i for i, (_, score) in enumerate(scores) if score < goal], default=0)
        return np.interp(goal, *reversed(list(zip(*scores[last:last + 2]))))


class Recorded(Case):
    def __init__(self, a, name, folder):
        self.cli, self.folder, (file, self.hold_out) = a.cli, folder, SETS[name]
        with h5py.File(pathlib.Path(a.real) / f"{file}.hdf5") as f:
            self.fields = {k: v[:37] if name == "rings" and v.ndim else v[()] for k, v in f.items()}
        if name == "rings":  # farther out there is no signal
            self.fields["ptychogram"] = self.fields["ptychogram"][:, 436:564, 471:599]
        self.all = self.estimate(None)

    def estimate(self, chosen):
        """Score and spectrum of the object. Where the list of frames would be too long, those of it stand last."""
        order, told = np.arange(len(self.fields["ptychogram"])), {"more_passes": 0, "passes": 5, "hold_out": self.hold_out}
        out = self.folder / ("all" if chosen is None else "out")
        if chosen is not None:
            rest, last = np.setdiff1d(self.used, chosen), self.used[len(chosen):]
            told |= {"start": self.folder / "all", "leave_out": ",".join(map(str, rest)) or "none"}
            if len(told["leave_out"]) > LONGEST:
                order[self.used] = [*chosen, *rest]
                runs = np.split(last, np.flatnonzero(np.diff(last) > 1) + 1)
                told["leave_out"] = ",".join(f"{r[0]}-{r[-1]}" for r in runs)
            lines = self.table[:1] + [f"{i},{self.table[1 + j].split(',', 1)[1]}" for i, j in enumerate(order)]
            (self.folder / "all" / "frames.csv").write_text("\n".join(lines) + "\n")
        with h5py.File(self.folder / "frames.hdf5", "w") as f:
            for key, value in self.fields.items():
                f[key] = value[order] if np.ndim(value) else value
        subprocess.run([self.cli, "run", "--measurements", self.folder / "frames.hdf5", "--brief", "--quiet", "--output",
                        out, *(f"--set={k}={v}" for k, v in told.items())], check=True)
        summary, table = json.loads((out / "summary.json").read_text()), (out / "frames.csv").read_text().splitlines()
        rows = list(csv.DictReader(table))
        if chosen is None:
            self.table, self.held, self.radius = table, [r["held_out"] for r in rows], summary["pupil"]["radius_px"]
            self.used = np.flatnonzero([r["held_out"] == r["left_out"] for r in rows])
            self.places = np.array([[float(r["found_row_px"]), float(r["found_column_px"])] for r in rows])
        assert [r["held_out"] for r in rows] == self.held, "other frames judge"
        return summary["held_out"]["correlation"], np.fft.fftshift(np.fft.fft2(np.load(out / "object.npy")))


class Telescope(Case):
    near, signs = 1.0, (1, -1)

    def __init__(self, a, scene, folder):
        self.cli, self.folder, task = a.cli, folder, scenes.Task(scene, "overlapping", a.noise, 0)
        np.save(folder / "scene.npy", scenes.draw(task))
        self.settings = {**scenes.get_settings(task), "object": folder / "scene.npy"}
        self.radius, self.all = self.settings["aperture_radius"], self.estimate(None)
        self.places = np.load(folder / "centers.npy").reshape(-1, 2)
        self.used = np.arange(len(self.places))

    def estimate(self, chosen):
        """PSNR and spectrum of the picture."""
        told, n = dict(self.settings), self.settings["image_size"]
        if chosen is not None:
            np.savetxt(self.folder / "some.csv", self.places[chosen], "%.10g", ",", header="y,x", comments="")
            told |= {"pattern": "file", "pattern_file": self.folder / "some.csv", "samples": len(chosen)}
        subprocess.run([self.cli, "run", "--quiet", "--output", self.folder, *(f"--set={k}={v}" for k, v in told.items())],
                       check=True)
        picture, target = (np.load(self.folder / f"{f}.npy") for f in ("reconstruction", "target"))
        return scenes.compute_psnr(picture, target), np.fft.fftshift(np.fft.fft2(picture, (n, n)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in {"cli": None, "real": ".", "sets": "", "scenes": "", "orders": ORDERS, "noise": "30"}.items():
        parser.add_argument(f"--{name}", default=default, required=name == "cli", type=int if name == "noise" else str)
    a = parser.parse_args()
    print(f"| frames of | all | {' | '.join(a.orders.split(','))} |\n{'|---' * (a.orders.count(',') + 3)}|")
    for kind, name in [(Recorded, s) for s in a.sets.split(",")] + [(Telescope, s) for s in a.scenes.split(",")]:
        with tempfile.TemporaryDirectory() as folder:
            if name:
                case = kind(a, name, pathlib.Path(folder))
                needed = " | ".join(f"{case.count_needed(order):.0f}" for order in a.orders.split(","))
                print(f"| {name} | {len(case.used)}: {case.all[0]:.3f} | {needed} |", flush=True)


if __name__ == "__main__":
    main()
