#!/usr/bin/env python3
"""How well do methods predict frames that they never had, by how many they had? Prints a Markdown table.

    python3 few_frames.py --cli build/src/cli/prism-cli [--frames 5,9,15,25,50,0] [--methods passes,descent]
                          [--tile 64] [--rows rows.csv] red="FILE --positions TABLE" s1="size=64 seed=1" ...

A set is frames as “run --measurements” takes them (HDF5 or .npz), or what “simulate” is to --set. Every eighth frame
that carries signal is kept from all runs alike; of the others so many are used, from the innermost on the next as far
from all as can be; 0: all. Frames are cut to the --tile² in their middle where they are larger. A cell has misfit and
correlation of the frames that were kept, of simulated sets also the complex correlation of the object with the truth
(below λ/NA of all lights, without its mean). --rows keeps every run and resumes from it. Needs numpy and h5py.
"""
import argparse
import csv
import json
import pathlib
import resource
import shlex
import subprocess
import sys
import tempfile

import h5py
import numpy as np

import verdicts

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))
import open_results

METHODS = {"passes": ["method=sequential"], "descent": ["method=descent"],
           "variation": ["method=descent", "variation=0.003"], "decoder": ["method=decoder"]}
FIELDS = ["set", "frames", "method", "misfit", "correlation", "truth", "seconds"]


def run(cli, out, path, *options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([cli, "run", "--measurements", path, "--quiet", "--output", out, *options],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def load_frames(path):
    if str(path).endswith(".npz"):
        return max(np.load(path).values(), key=lambda a: a.ndim)
    with h5py.File(path) as file:
        return file["ptychogram"][()]


class Set:
    def __init__(self, cli, text, tile, folder):
        path, options, self.truth, self.cli, self.folder = folder / "given.hdf5", [], None, cli, folder
        if "=" in text.split()[0]:
            subprocess.run([cli, "simulate", *(f"--set={s}" for s in text.split()), path], check=True, capture_output=True)
            self.truth = np.load(f"{path}-truth.npz")
        else:
            path, *options = shlex.split(text)
        self.frames = load_frames(path)
        top, left = (max(n - tile, 0) // 2 for n in self.frames.shape[1:])
        self.frames = self.frames[:, top:top + tile, left:left + tile]
        run(cli, folder / "all", path, *options, "--set=passes=1", "--set=hold_out=8", "--set=more_passes=0", "--set=tile=0")
        rows = list(csv.DictReader((folder / "all/frames.csv").open()))
        summary = json.loads((folder / "all/summary.json").read_text())
        of = summary["frames"]
        self.numbers = {"wavelength": 1e-9 * of["wavelength_nm"], "na": of["na"], "pixel_size": 1e-6 * of["pixel_um"]}
        unit = of["side_px"] * self.numbers["pixel_size"] / self.numbers["wavelength"]
        self.directions = np.array([[float(r["column_px"]), float(r["row_px"])] for r in rows]) / unit
        self.background = of["background"]
        self.kept = np.flatnonzero([r["held_out"] == "1" for r in rows])
        order = np.flatnonzero([r["held_out"] == r["left_out"] for r in rows])
        far = np.hypot(*self.directions.T)
        self.order, nearest = [order[far[order].argmin()]], np.full(len(far), np.inf)
        while len(self.order) < len(order):
            nearest = np.minimum(nearest, np.hypot(*(self.directions - self.directions[self.order[-1]]).T))
            self.order.append(max(np.setdiff1d(order, self.order), key=lambda j: nearest[j]))

    def score(self, n, method):
        used, kept = self.order[:n], self.kept
        path, out, every = self.folder / "frames.npz", self.folder / "out", [*used, *kept]
        np.savez(path, frames=self.frames[every], directions=self.directions[every], **self.numbers)
        seconds = run(self.cli, out, path, f"--set=leave_out={len(used)}-{len(every) - 1}",
                      *(f"--set={s}" for s in METHODS[method]))
        error = energy = 0
        correlations = []
        with h5py.File(out / "result.h5") as file:
            for j, place in zip(kept, file["entry/frames/place"][()][len(used):]):
                seen = open_results.predict(np, file["entry/model"], place).ravel()
                middle = (np.array(self.frames.shape[1:]) - int(len(seen)**0.5)) // 2
                recorded = self.frames[j, middle[0]:, middle[1]:][:int(len(seen)**0.5), :int(len(seen)**0.5)].ravel()
                recorded = np.sqrt(np.maximum(recorded.astype(float) - self.background, 0))
                gain = (seen * recorded).sum() / (seen**2).sum()
                error, energy = error + ((gain * seen - recorded)**2).sum(), energy + (recorded**2).sum()
                correlations.append(np.corrcoef(seen, recorded)[0, 1])
        truth = 0
        if self.truth is not None:
            numbers = {**self.numbers, "size": self.frames.shape[1], "dxd": self.numbers["pixel_size"],
                       "magnification": 1, "NA": self.numbers["na"]}
            truth = verdicts.compare(out, f"{self.folder}/given.hdf5-truth.npz", numbers, 0)[1]
        return {"misfit": (error / energy)**0.5, "correlation": np.median(correlations), "truth": truth, "seconds": seconds}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--cli", required=True)
    p.add_argument("--frames", default="5,9,15,25,50,0")
    p.add_argument("--methods", default=",".join(METHODS))
    p.add_argument("--tile", type=int, default=64)
    p.add_argument("--rows", type=pathlib.Path)
    p.add_argument("sets", nargs="+")
    a = p.parse_args()
    methods, rows = a.methods.split(","), {}
    if a.rows and a.rows.exists():
        rows = {(r["set"], r["frames"], r["method"]): {k: float(r[k]) for k in FIELDS[3:]}
                for r in csv.DictReader(a.rows.open())}
    print("| set | frames |" + "".join(f" {m} |" for m in methods) + "\n" + "|---" * (2 + len(methods)) + "|")
    for name, text in (s.split("=", 1) for s in a.sets):
        with tempfile.TemporaryDirectory() as folder:
            made = None
            for n in map(int, a.frames.split(",")):
                cells = []
                for method in methods:
                    if (name, str(n), method) not in rows:
                        made = made or Set(a.cli, text, a.tile, pathlib.Path(folder))
                        rows[name, str(n), method] = row = made.score(n or len(made.order), method)
                        if a.rows:
                            new = not a.rows.exists()
                            with a.rows.open("a") as file:
                                writer = csv.writer(file)
                                writer.writerows([FIELDS] * new + [[name, n, method, *row.values()]])
                    row = rows[name, str(n), method]
                    cells.append(f"{row['misfit']:.4f}, {row['correlation']:.3f}"
                                 + (f", {row['truth']:.3f}" if row["truth"] else ""))
                print(f"| {name} | {n or 'all'} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
