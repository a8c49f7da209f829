#!/usr/bin/env python3
"""Open what a run has written with the programs of others: h5py, silx, PtyLab, tifffile, Pillow.

    python3 open_results.py --cli build/src/cli/prism-cli --venv DIR

They are installed from PyPI into DIR, once; PRISM_READERS names a Python that has them already. Where neither is to be
had the test says why and is skipped. Prints TAP.
"""
import argparse
import base64
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NEEDED = ["h5py", "tifffile", "pillow", "scipy", "matplotlib", "scikit-image", "scikit-learn", "tqdm"]
ALONE = ["silx", "ptylab"]  # what else they ask for, reading a result does not need
PATIENCE = 400  # s for each


def make_venv(folder):
    """Python of an environment that has the readers, or a sentence that says why there is none."""
    python = folder / "bin" / "python"
    done = folder / "complete"
    if done.exists():
        return python, None
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    # The user's cache, which has them from the last time: tests have an empty one of their own.
    user = {name: value for name, value in os.environ.items() if name != "XDG_CACHE_HOME"}
    try:
        for command in ([sys.executable, "-m", "venv", str(folder)], pip + NEEDED, pip + ["--no-deps"] + ALONE):
            subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE, env=user)
    except (OSError, subprocess.SubprocessError) as error:
        told = (getattr(error, "stderr", None) or b"").decode(errors="replace").strip().splitlines()
        return None, f"h5py, silx and ptylab cannot be installed: {told[-1] if told else error}"
    done.touch()
    return python, None


def keys(t):
    """Weights of cubic convolution (Keys 1981)."""
    return ((-0.5 * t + 1) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1, ((-1.5 * t + 2) * t + 0.5) * t, (0.5 * t - 0.5) * t * t


def predict(np, model, place):
    """Amplitude of a frame whose pupil lies at a place (column, row), by /entry/model alone, up to its gain."""
    pupil, border = model["pupil"][()], int(model["border"][()])
    spectrum = np.fft.fftshift(np.fft.fft2(model["object"][()]))
    n, side = len(pupil), len(spectrum)
    k = np.arange(n) - n // 2
    whole = np.floor(place + 0.5).astype(int)
    back = whole - place
    base = np.floor(back).astype(int)
    across, down = keys(back[0] - base[0]), keys(back[1] - base[1])
    moved = sum(down[i] * across[l] * np.roll(pupil, (1 - i - base[1], 1 - l - base[0]), (0, 1))
                for i in range(4) for l in range(4))
    far = np.hypot(k + back[0], (k + back[1])[:, None])
    moved = moved * np.clip((model["radius"][()] - far) / model["rim"][()] + 0.5, 0, 1)
    row, column = side // 2 - n // 2 + whole[1], side // 2 - n // 2 + whole[0]
    field = np.fft.ifft2(np.fft.ifftshift(spectrum[row:row + n, column:column + n] * moved))
    return abs(field[border:n - border, border:n - border]).astype(float)


def predict_held_out(np, file):
    """Misfit of the held-out frames, of result.h5 alone."""
    model, places = file["entry/model"], file["entry/frames/place"][()]
    error = energy = 0
    for j, amplitude in zip(model["held_out"], model["held_out_amplitudes"]):
        seen = amplitude >= 0
        predicted, recorded = predict(np, model, places[j])[seen], amplitude[seen].astype(float)
        gain = (predicted * recorded).sum() / (predicted**2).sum()
        error += ((gain * predicted - recorded)**2).sum()
        energy += (recorded**2).sum()
    return (error / energy)**0.5


def correlate(np, a, b):
    return float(np.corrcoef(np.ravel(a), np.ravel(b))[0, 1])


def make_letter(np, side):
    """An L that is no mirror image or turn of itself: a long bar down the left, a short foot to the right."""
    letter = np.ones((side, side))
    letter[side // 5:side * 4 // 5, side // 4:side * 3 // 8] = 0.3
    letter[side * 2 // 3:side * 4 // 5, side // 4:side * 5 // 8] = 0.3
    return letter


def record_letter(np, path):
    """49 frames of an L, by the formula of the model alone: boxes of its spectrum, 8 pixels apart, through a clear pupil
    of 20 pixels."""
    n, up, wavelength, pixel = 64, 4, 0.63e-6, 1.845e-6
    letter = make_letter(np, n * up)
    grain = np.random.default_rng(1).normal(size=letter.shape)  # bars alone have no circles in their spectra
    spectrum = np.fft.fftshift(np.fft.fft2(letter * np.exp(0.1j * grain)))
    k = np.arange(n) - n // 2
    pupil = np.hypot(k, k[:, None]) <= 20
    places = [(x, y) for y in range(-24, 25, 8) for x in range(-24, 25, 8)]
    first = n * up // 2 - n // 2
    boxes = [spectrum[first + y:first + y + n, first + x:first + x + n] for x, y in places]
    frames = np.array([abs(np.fft.ifft2(np.fft.ifftshift(box * pupil)))**2 for box in boxes])
    wave = wavelength / (n * pixel)  # direction of a pixel of the spectrum
    np.savez(path, frames=frames, directions=np.array(places) * wave, wavelength=wavelength, pixel_size=pixel,
             na=20 * wave)
    return letter


def check_result(np, cli, folder, test):
    """Frames of a simulated microscope, which were not noticed to be simulated."""
    import h5py
    frames, out = folder / "cells.hdf5", folder / "result"
    run(cli, "simulate", "--set", "size=64", "--set", "per_side=9", "--set", "gains=0.1", frames)
    with h5py.File(frames, "r+") as file:
        file["ptychogram"][:, 3, 5] = np.nan  # a dead pixel
    run(cli, "run", "--measurements", frames, "--set", "hold_out=10", "--set", "border=8", "--output", out,
        "--quiet")
    summary = json.loads((out / "summary.json").read_text())
    amplitude = np.load(out / "amplitude.npy")
    with h5py.File(out / "result.h5") as file:
        entry = file[file.attrs["default"]]
        data = entry[entry.attrs["default"]]
        test("h5py finds the picture by its defaults", np.array_equal(data[data.attrs["signal"]], amplitude)
             and np.array_equal(data["phase"], np.load(out / "phase.npy")))
        x, y = data["x"], data["y"]
        pixel = summary["object"]["pixel_um"] * 1e-6
        test("axes are in metres", list(data.attrs["axes"]) == ["y", "x"] and x.attrs["units"] == "m"
             and np.allclose(np.diff(x), pixel) and np.allclose(np.diff(y), -pixel))
        border = int(file["entry/model/border"][()]) * int(file["entry/model/upsampling"][()])
        whole = file["entry/model/object"][()]
        inner = whole[border:border + len(amplitude), border:border + len(amplitude)]
        test("the object has its border", np.allclose(inner / summary["object"]["frame_white"],
                                                            np.load(out / "object.npy"), atol=1e-5) and border > 0)
        found, said = predict_held_out(np, file), summary["held_out"]["misfit"]
        test(f"NumPy finds the held-out misfit again: {found:.6f}, said {said:.6f}", abs(found - said) < 1e-5)
        held = file["entry/model/held_out_amplitudes"][()]
        test("a dead pixel has the amplitude -1, no other has",
             (held[:, 3, 5] == -1).all() and (held < 0).sum() == len(held))
        process = file["entry/process"]
        frames_said = json.loads(process["frames"][()])
        test("it tells how it was made", process["program"][()] == b"PRISM Studio"
             and process["parameters/hold_out"][()] == b"10" and len(frames_said["frames_sha256"]) == 64)
        test("PtyLab's names are hard links", all(file[a] == file[b] for a, b in (
            ("object", "entry/ptylab/object"), ("probe", "entry/ptylab/probe"), ("dxo", "entry/instrument/pixel_size"),
            ("wavelength", "entry/instrument/wavelength"), ("NA", "entry/instrument/NA"))))
    check_silx(np, out, amplitude, test)
    check_ptylab(np, frames, out, test)
    check_ome(np, out, amplitude, summary["object"]["pixel_um"], test)


def check_silx(np, out, amplitude, test):
    import silx.io
    import silx.io.nxdata
    with silx.io.open(str(out / "result.h5")) as file:
        data = silx.io.nxdata.get_default(file)
        test("silx opens the amplitude, with the phase beside it", data is not None and data.signal_name == "amplitude"
             and data.auxiliary_signals_names == ["phase"] and np.array_equal(data.signal[()], amplitude)
             and [axis.name.split("/")[-1] for axis in data.axes] == ["y", "x"])


def check_ptylab(np, frames, out, test):
    """PtyLab's own reader, places and transform predict the frames."""
    import h5py
    from PtyLab import Params
    from PtyLab.ExperimentalData.ExperimentalData import ExperimentalData
    from PtyLab.Reconstruction.Reconstruction import Reconstruction
    from PtyLab.utils.utils import fft2c
    with contextlib.redirect_stdout(io.StringIO()):
        data = ExperimentalData(str(frames), operationMode="FPM")
        result = Reconstruction(data, Params())
    result.load(str(out / "result.h5"))
    with h5py.File(out / "result.h5") as file:
        result.encoder_corrected, result.zled = file["encoder"][()], float(file["zled"][()])
    result.No, n = result.object.shape[-1], result.Np
    scores = [correlate(np, abs(fft2c(result.object[..., y:y + n, x:x + n] * result.probe)),
                        np.sqrt(np.nan_to_num(data.ptychogram[j]))) for j, (y, x) in enumerate(result.positions)]
    score = float(np.median(scores))
    test(f"PtyLab predicts the frames: correlation {score:.3f}", score > 0.9)


def check_ome(np, out, amplitude, pixel, test):
    import tifffile
    from PIL import Image
    path = out / "object.ome.tif"
    with tifffile.TiffFile(path) as file:
        series = file.series[0]
        pixels = tifffile.xml2dict(file.ome_metadata)["OME"]["Image"]["Pixels"]
        test("tifffile reads channels and pixels of the OME-TIFF", series.axes == "CYX"
             and np.array_equal(series.asarray(), [amplitude, np.load(out / "phase.npy")])
             and all(abs(pixels[f"PhysicalSize{axis}"] - pixel) < 1e-6 and pixels[f"PhysicalSize{axis}Unit"] == "µm"
                     for axis in "XY"))
    test("Pillow reads its first page", np.array_equal(np.array(Image.open(path)), amplitude))


def check_refocus(np, cli, folder, test):
    """At the plane that the camera was focused on the object looks as the frame of the innermost light."""
    import h5py
    import tifffile
    frames, out = folder / "defocused.hdf5", folder / "refocused"
    run(cli, "simulate", "--set", "size=64", "--set", "per_side=9", "--set", "defocus=4e-5", frames)
    run(cli, "run", "--measurements", frames, "--output", out, "--quiet")
    defocus = json.loads((out / "summary.json").read_text())["pupil"]["defocus_um"]
    run(cli, "refocus", out, "--from", -defocus, "--to", defocus, "--steps", 3, "--quiet")
    with tifffile.TiffFile(out / "refocus.ome.tif") as file:
        stack = file.series[0]
        pixels = tifffile.xml2dict(file.ome_metadata)["OME"]["Image"]["Pixels"]
        far, focus, near = stack.asarray()[:, 0]
        test("a stack has its distances", stack.axes == "ZCYX"
             and abs(pixels["PhysicalSizeZ"] - abs(defocus)) < 1e-3 * abs(defocus)
             and np.allclose([plane["PositionZ"] for plane in pixels["Plane"][::2]], (-defocus, 0, defocus), rtol=1e-4))
    test("in its focus it is the result", np.allclose(focus, np.load(out / "amplitude.npy"), atol=1e-4 * focus.max()))
    with h5py.File(frames) as file, h5py.File(out / "result.h5") as result:
        place = result["entry/frames/recorded"][()]
        seen = np.sqrt(file["ptychogram"][int(np.argmin(np.hypot(*place.T)))])
    n, up = len(seen), len(focus) // len(seen)
    small = [plane.reshape(n, up, n, up).mean((1, 3)) for plane in (near, far)]
    right, wrong = (correlate(np, plane[4:-4, 4:-4], seen[4:-4, 4:-4]) for plane in small)
    test(f"refocused to {defocus:.1f} µm it is what the camera saw: {right:.3f}, the other way {wrong:.3f}",
         right > 0.7 > wrong)


def check_simulated(np, cli, folder, test):
    """A telescope that knows its truth."""
    import h5py
    out = folder / "telescope"
    run(cli, "run", "--set", "image_size=64", "--set", "object_size=32", "--set", "aperture_radius=4", "--set",
        "samples=12", "--output", out, "--quiet")
    with h5py.File(out / "result.h5") as file:
        data = file[file.attrs["default"]]["object"]
        test("a simulated run has its picture, its truth and its settings",
             np.array_equal(data["amplitude"], np.load(out / "reconstruction.npy"))
             and np.array_equal(data[data.attrs["auxiliary_signals"]], np.load(out / "target.npy"))
             and file["entry/process/parameters/samples"][()] == b"12")


def check_orientation(np, cli, folder, test):
    """One picture, whoever writes it and whoever reads it."""
    import h5py
    import tifffile
    from PIL import Image
    frames, out = folder / "letter.npz", folder / "letter"
    letter = record_letter(np, frames)
    run(cli, "run", "--measurements", frames, "--output", out, "--set", "border=0", "--set", "upsampling=4",
        "--quiet")
    with h5py.File(out / "result.h5") as file:
        data = file["entry/object"]
        upright = data["y"][0] > data["y"][-1] and data["x"][0] < data["x"][-1]
        pictures = {"result.h5": data["amplitude"][()]}
    pictures["amplitude.npy"] = np.load(out / "amplitude.npy")
    pictures["amplitude.tif"] = tifffile.imread(out / "amplitude.tif")
    pictures["object.ome.tif"] = tifffile.imread(out / "object.ome.tif")[0]
    pictures["amplitude.png"] = np.array(Image.open(out / "amplitude.png"), dtype=float)
    run(cli, "report", out, "--html", folder / "letter.html")
    images = re.findall(r"data:image/png;base64,([A-Za-z0-9+/=]+)", (folder / "letter.html").read_text())
    pictures["the report"] = np.array(Image.open(io.BytesIO(base64.b64decode(images[0]))).convert("F").resize(
        letter.shape), dtype=float)
    for name, picture in pictures.items():
        right = correlate(np, picture, letter)
        wrong = max(correlate(np, turned, letter) for turned in (
            picture[::-1], picture[:, ::-1], picture[::-1, ::-1], picture.T, np.rot90(picture), np.rot90(picture, 3)))
        test(f"the L of {name} is upright: {right:.3f}, turned {wrong:.3f}", right > 0.9 > wrong)
    test("the axes of result.h5 put its first row on top", upright)


def run(cli, *arguments):
    done = subprocess.run([cli, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"prism-cli {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def check(cli):
    import numpy as np
    count, failed = 0, 0

    def test(name, good):
        nonlocal count, failed
        count += 1
        failed += not good
        print(f"{'ok' if good else 'not ok'} {count} {name}", flush=True)

    with tempfile.TemporaryDirectory(prefix="prism-open-") as folder:
        for part in (check_result, check_refocus, check_simulated, check_orientation):
            part(np, cli, pathlib.Path(folder), test)
    print(f"1..{count}")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", required=True)
    parser.add_argument("--venv", type=pathlib.Path)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.inside:
        return check(a.cli)
    python, reason = os.environ.get("PRISM_READERS"), None
    if python is None:
        python, reason = make_venv(a.venv)
    if reason is not None:
        print(f"1..0 # SKIP {reason}")
        return 0
    return subprocess.run([str(python), __file__, "--inside", "--cli", a.cli]).returncode


if __name__ == "__main__":
    sys.exit(main())
