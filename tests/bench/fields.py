#!/usr/bin/env python3
"""Say how flat blank glass came out, and how much tiles show, of the folder of a result; make a field to try it on.

    python3 fields.py FRAMES.hdf5 RESULT...
    python3 fields.py --change FRAMES.hdf5 [VIGNETTING]

Blank glass: cells of CELL² pixels that the innermost frame shows even, within EVEN. Flatness: the object's mean
amplitude there over the root of what that frame shows, 1st and 99th percentile and the root mean square of what is
left, both of the median. Seams are those of summary.json.

--change: FRAMES.hdf5 is one that `prism-cli simulate --scenario microscope --set photons=0` has written, with its truth
beside it. Its frames are computed anew with a pupil that changes over the field: defocus from -20 µm in the middle to
20 µm in the corners, coma that grows with the distance, and a rim that cuts off one side more and more, as a lens
does that is not where the pupil is; VIGNETTING is the NA that it moves by to the field's edge, 0.018 unless said. Light comes from where the LED is for each place. Needs numpy and h5py.
"""
import json
import pathlib
import sys

import h5py
import numpy as np

CELL, EVEN = 16, 0.06
NODES = 5  # of the field, each way, between which intensities are mixed
DEFOCUS, COMA, VIGNETTING = 20e-6, 0.15, 0.018  # m, waves, NA that the second rim moves by to the field's edge


def get_pupil(fx, fy, na, wavelength, x, y, vignetting):
    """fx, fy: directions of a frame's spectrum; x, y: place in the field, -1 to 1."""
    r2 = fx**2 + fy**2
    inside = (r2 <= na**2) & (np.hypot(fx - vignetting * x, fy - vignetting * y) <= 1.03 * na)
    defocus = DEFOCUS * (x * x + y * y - 1)
    u, v = fx / na, fy / na
    waves = defocus * np.sqrt(np.maximum(1 - r2, 0)) / wavelength + COMA * (3 * (u * u + v * v) - 2) * (u * x + v * y)
    return inside * np.exp(2j * np.pi * waves)


def change(path, vignetting=VIGNETTING):
    truth = np.load(f"{path}-truth.npz")
    found = truth["object"][..., 0] + 1j * truth["object"][..., 1]
    with h5py.File(path, "r+") as file:
        frames = file["ptychogram"]
        q, wavelength, na, h = frames.shape[-1], file["wavelength"][()], file["NA"][()], file["zled"][()]
        pixel = file["dxd"][()] / file["magnification"][()]
        unit, side = q * pixel / wavelength, len(found)
        spectrum = np.fft.fftshift(np.fft.fft2(found)) / side**2
        spectrum = np.pad(spectrum, q)
        fy, fx = (np.mgrid[:q, :q] - q // 2) / unit
        nodes = np.linspace(-1, 1, NODES)
        at = (np.arange(q) + 0.5) / q * 2 - 1
        hats = np.maximum(1 - np.abs(at - nodes[:, None]) * (NODES - 1) / 2, 0)
        pupils = [[get_pupil(fx, fy, na, wavelength, x, y, float(vignetting)) for x in nodes] for y in nodes]
        for j, direction in enumerate(truth["directions"]):
            up = np.sqrt(1 - (direction**2).sum())
            light = np.zeros((q, q))
            for row, y in enumerate(nodes):
                for column, x in enumerate(nodes):
                    led = h * direction / up - np.array([x, y]) * pixel * q / 2
                    centre = led / np.sqrt((led**2).sum() + h**2) * unit
                    whole = np.round(centre).astype(int)
                    top, left = (q + side // 2 - q // 2 + whole[::-1])
                    wave = spectrum[top:top + q, left:left + q]
                    wave = np.fft.ifft2(np.fft.ifftshift(wave * pupils[row][column])) * q**2
                    light += np.abs(wave)**2 * np.outer(hats[row], hats[column])
            frames[j] = light


def get_flatness(path, amplitude, u):
    with h5py.File(path, "r") as file:
        positions = file["encoder"][()]
        inner = int(np.hypot(*positions.T).argmin())
        frame = file["ptychogram"][inner].astype(float)
    dark = np.percentile(frame, 0.01)
    h, w = (n // CELL * CELL for n in np.minimum(frame.shape, np.array(amplitude.shape) // u))
    cells = frame[:h, :w].reshape(h // CELL, CELL, w // CELL, CELL)
    even = cells.std(axis=(1, 3)) < EVEN * cells.mean(axis=(1, 3))
    bright = cells.mean(axis=(1, 3))
    even &= bright > 0.5 * np.median(bright)
    shown = np.sqrt(np.maximum(bright - min(dark, 2), 0))
    found = amplitude[:h * u, :w * u].reshape(h // CELL, CELL * u, w // CELL, CELL * u).mean(axis=(1, 3))
    even &= found > 0
    ratio = np.where(even, found / shown, np.nan)
    ratio /= np.nanmedian(ratio)
    return ratio


def main():
    path, *folders = sys.argv[1:]
    if path == "--change":
        return change(*folders)
    print("| result | misfit | correlation | blank glass | root mean square | seams, amplitude | phase |")
    print("|---" * 7 + "|")
    for folder in map(pathlib.Path, folders):
        summary = json.loads((folder / "summary.json").read_text())
        found = np.load(folder / "object.npy", mmap_mode="r")
        found = found if np.iscomplexobj(found) else found[..., 0] + 1j * found[..., 1]
        u = summary["object"]["upsampling"]
        ratio = get_flatness(path, np.abs(found), u)
        low, high = np.nanpercentile(ratio, (1, 99))
        seams = summary.get("seams", {})
        print(f"| {folder.name} | {summary['held_out']['misfit']:.4f} | {summary['held_out']['correlation']:.4f} "
              f"| {low:.3f}–{high:.3f} | {np.nanstd(ratio):.3f} | {seams.get('amplitude', '–')} | {seams.get('phase', '–')} |")


if __name__ == "__main__":
    main()
