#!/usr/bin/env python3
"""Say how flat blank glass came out, and how much tiles show, of the folder of a result; make a field to try it on.

    python3 fields.py FRAMES.hdf5 RESULT...
    python3 fields.py --change FRAMES.hdf5 [VIGNETTING]
    python3 fields.py --make FRAMES.hdf5 [SIDE [LEDS]]

Blank glass: cells of CELL² pixels that the innermost frame shows even, within EVEN. Flatness: the object's mean
amplitude there over the root of what that frame shows, 1st and 99th percentile and the root mean square of what is
left, both of the median. Seams are those of summary.json.

--change: FRAMES.hdf5 is one that `prism-cli simulate --scenario microscope --set photons=0` has written, with its truth
beside it. Its frames are computed anew with a pupil that changes over the field: defocus from -20 µm in the middle to
20 µm in the corners, coma that grows with the distance, and a rim that cuts off one side more and more, as a lens
does that is not where the pupil is; VIGNETTING is the NA that it moves by to the field's edge, 0.018 unless said. Light
comes from where the LED is for each place.

--make: a field of a whole camera, larger than `prism-cli simulate` makes: LEDS² frames (19² unless said) of SIDE²
pixels (2048), 16 bits, with shot and read noise. Each place has its own directions: between the middles of patches
intensities are mixed. Needs numpy, h5py and, for --make, scipy.
"""
import json
import pathlib
import sys

import h5py
import numpy as np

CELL, EVEN = 16, 0.06
NA, WAVELENGTH, PIXEL, DISTANCE, PITCH = 0.1, 630e-9, 1.845e-6, 0.09088, 0.004  # m
PHOTONS, READ, OFFSET = 20000, 2, 3  # of blank glass, of a pixel without light, of every pixel
STEP = 128  # pixels from the middle of a patch to the next
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


def get_cloud(rng, side, slope):
    """Random numbers whose spectrum falls as 1 / frequency^slope, of deviation 1."""
    f = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)) * side + 8
    cloud = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((side, side), np.float32)) / f**slope)
    return (cloud / cloud.std()).astype(np.float32)


def make(path, side=2048, leds=19):
    """Cells on glass: dark and thick where a cloud is high, with another one's structure inside. The object repeats."""
    import scipy.fft

    side, leds = int(side), int(leds)
    rng = np.random.default_rng(1)
    inside = 1 / (1 + np.exp(-8 * (get_cloud(rng, 4 * side, 2) - 0.5)))
    found = np.exp(inside * ((1j + 0.1) * get_cloud(rng, 4 * side, 1) - 0.4 + 0.5j)).astype(np.complex64)
    places = (np.mgrid[:leds, :leds].reshape(2, -1).T - leds // 2) * PITCH
    places = places[np.argsort(np.hypot(*places.T), kind="stable")]
    unit, middles = 2 * STEP * PIXEL / WAVELENGTH, np.arange(0, side + 1, STEP)
    spectra = [[np.fft.fftshift(scipy.fft.fft2(np.take(np.take(found, rows, 0, mode="wrap"), columns, 1, mode="wrap")))
                / (8 * STEP)**2 for columns in 4 * (middles[:, None] - STEP) + np.arange(8 * STEP)]
               for rows in 4 * (middles[:, None] - STEP) + np.arange(8 * STEP)]
    fy, fx = ((np.mgrid[:2 * STEP, :2 * STEP] - STEP) / unit).astype(np.float32)
    hat = 1 - np.abs(np.arange(2 * STEP) + 0.5 - STEP) / STEP
    hat = np.outer(hat, hat)
    with h5py.File(path, "w") as file:
        for name, value in (("NA", NA), ("wavelength", WAVELENGTH), ("dxd", PIXEL), ("magnification", 1.0),
                            ("zled", DISTANCE), ("encoder", places)):
            file[name] = value
        frames = file.create_dataset("ptychogram", (len(places), side, side), "u2", chunks=(1, side, side))
        for j, place in enumerate(places):
            light = np.zeros((side + 2 * STEP, side + 2 * STEP))
            for row, y in enumerate(middles):
                for column, x in enumerate(middles):
                    led = place - (np.array([y, x]) - side / 2) * PIXEL
                    centre = led / np.sqrt((led**2).sum() + DISTANCE**2) * unit
                    whole = np.round(centre).astype(int)
                    rest = (centre - whole) / unit
                    top, left = 3 * STEP + whole
                    wave = spectra[row][column][top:top + 2 * STEP, left:left + 2 * STEP]
                    wave = wave * (np.hypot(fx + rest[1], fy + rest[0]) <= NA)
                    wave = scipy.fft.ifft2(np.fft.ifftshift(wave)) * (2 * STEP)**2
                    light[y:y + 2 * STEP, x:x + 2 * STEP] += np.abs(wave)**2 * hat
            light = rng.poisson(PHOTONS * light[STEP:-STEP, STEP:-STEP]) + rng.normal(OFFSET, READ, (side, side))
            frames[j] = np.clip(np.round(light), 0, 65535)


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
    if path == "--make":
        return make(*folders)
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
