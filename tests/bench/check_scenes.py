#!/usr/bin/env python3
"""What scenes.py draws, measures, judges and compares, as TAP.  usage: check_scenes.py PRISM-CLI"""
import io
import os
import pathlib
import subprocess
import sys
import tempfile
from contextlib import redirect_stdout

try:
    import numpy as np

    import scene_pictures
    import scenes
except ImportError as error:
    print(f"1..0 # SKIP {error}")
    sys.exit(0)


def check_pictures():
    """Each fills its range, is the same for the same seed, and those that fill their square have light in the corners."""
    for m in (38, 90):
        for name in scene_pictures.PICTURES:
            one, same, other = (scene_pictures.draw(name, m, seed) for seed in (0, 0, 1))
            assert one.shape == (m, m) and one.min() >= 0 and one.max() == 1, name
            assert (one == same).all() and (one != other).any(), name
            border = np.concatenate([one[0], one[-1], one[:, 0], one[:, -1]])
            assert (np.count_nonzero(border > 0.02) > 2 * m) == (name in scene_pictures.FILLING), name


def check_figures():
    """Of a picture that is 0.1 off everywhere, of the same and of its negative."""
    truth = scene_pictures.draw("clouds", 38, 0)
    assert abs(scenes.compute_psnr(truth + 0.1, truth) - 20) < 1e-4
    assert scenes.compute_psnr(truth, truth) == 200 and abs(scenes.compute_ssim(truth, truth) - 1) < 1e-9
    assert scenes.compute_ssim(1 - truth, truth) < 0.1
    grey, other = np.full((11, 11), 0.02), np.full((11, 11), 0.05)
    assert abs(scenes.compute_ssim(grey, other) - (2 * 0.001 + 1e-4) / (0.0004 + 0.0025 + 1e-4)) < 1e-9
    bell = np.exp(-np.hypot(*np.mgrid[-5:6, -5:6])**2 / 4.5)
    bell, x, y = bell / bell.sum(), 0.02 * truth[:11, :11].astype(float), 0.02 * truth[11:22, :11].astype(float)
    mx, my, xy = ((bell * v).sum() for v in (x, y, x * y))
    sx, sy = (((v * v * bell).sum() - m * m) for v, m in ((x, mx), (y, my)))
    naive = (2 * mx * my + 1e-4) * (2 * (xy - mx * my) + 9e-4) / ((mx**2 + my**2 + 1e-4) * (sx + sy + 9e-4))
    assert abs(scenes.compute_ssim(x, y) - naive) < 1e-9


def check_noise():
    """Against draws of the camera: the bright parts of a scene under shot noise, then with read noise as well."""
    rng = np.random.default_rng(0)
    intensity = (0.3 + 0.7 * scene_pictures.draw("clouds", 90, 0).astype(float))**2
    square, mean = np.mean(intensity**2), np.mean(intensity)
    for read in (None, 25):
        variance = intensity * square / mean / 100 + (square * 10**-2.5 if read else 0)
        drawn = np.sqrt(np.maximum(intensity + np.sqrt(variance) * rng.standard_normal(intensity.shape), 0))
        ratio = scenes.get_noise(intensity, {"snr": 20, "read_snr": read}) / np.mean((drawn - np.sqrt(intensity))**2)
        assert 0.8 < ratio < 1.1, (read, ratio)


def check_bound():
    """The whole plane without noise gives the scene back; noise of the camera's strength costs what it should."""
    truth = scene_pictures.draw("city", 32, 0)
    whole = {"image_size": 64, "aperture_radius": 50, "snr": 0, "seed": 0}
    assert scenes.compute_bound(truth, [(0, 0)], whole) > 60
    bounds = [scenes.compute_bound(truth, [(0, 0)], {**whole, "snr": snr}) for snr in (20, 30, 40)]
    # A variance of σ² of the amplitude in 64² px is one of σ²/2 of the real image, in each of its own.
    intensity = truth.astype(float)**2
    noise = scenes.get_noise(np.pad(intensity, 16), {**whole, "snr": 40}) / 2
    assert abs(bounds[2] + 10 * np.log10(noise)) < 2, (bounds, noise)
    assert all(8 < b - a < 11 for a, b in zip(bounds, bounds[1:])), bounds
    assert scenes.compute_bound(truth, [(0, 0)], {**whole, "aperture_radius": 9}) < 30


def make_row(**values):
    task = {"scene": "city", "regime": "apart", "noise": 20, "seed": 0}
    return {**task, **scenes.get_settings(scenes.Task(**task)), "side": "a", "psnr": 36.0, "ssim": 0.9, "bound": 37.0,
            "verdict": "explained", "rest": 1.0, "training": "spared", "cpu": 2.0, **values}


def judge(*rows):
    scenes.judge(rows)
    return [r["judged"] for r in rows]


def check_verdicts():
    no = {"verdict": "not explained"}
    assert judge(make_row(), make_row(psnr=32.0, side="b")) == ["right", "wrong"]
    assert judge(make_row(psnr=32.0), make_row(regime="sparse")) == ["wrong", "right"]  # fewer frames told more
    assert judge(make_row(psnr=27.0)) == ["wrong"] and judge(make_row(psnr=18.0, bound=20.0)) == ["right"]
    assert judge(make_row(**no)) == ["wrong"] and judge(make_row(psnr=33.0, **no)) == ["right"]
    assert judge(make_row(psnr=19.0, bound=20.0, **no)) == ["right"]  # what is measured is no picture
    assert judge(make_row(verdict="ambiguous"), make_row(failed="no")) == ["open", "failed"]


def check_worse():
    def compare(old, new, **both):
        return scenes.is_worse(make_row(psnr=old, **both), make_row(psnr=new, **both))
    assert compare(40.0, 38.5) and not compare(40.0, 39.5) and not compare(80.0, 61.0)
    assert not compare(70.0, 46.0, noise=0) and compare(46.0, 44.0, noise=0)
    assert scenes.is_worse(make_row(), make_row(failed="no")) and not scenes.is_worse(make_row(failed="no"), make_row())


def call(*arguments):
    old, sys.argv = sys.argv, ["scenes.py", *arguments]
    try:
        with redirect_stdout(io.StringIO()) as said:
            status = scenes.main()
    finally:
        sys.argv = old
    return status, said.getvalue()


def check_sweep():
    """A run of the program, kept, compared with itself and with a worse method; one that fails, and a wrong setting."""
    if len(sys.argv) < 2:
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.jsonl")
        common = ["--program", sys.argv[1], "--rows", rows, "--scenes", "crescent", "--regimes", "overlapping",
                  "--noise", "0", "--seeds", "0"]
        status, said = call(*common)
        assert status == 0 and "| overlapping, no noise | 1 |" in said and "| 1 | 0 | 0 | 0 |" in said, said
        before = pathlib.Path(rows).read_text()
        status, said = call(*common, "--against", sys.argv[1], "--strict")
        assert status == 0 and pathlib.Path(rows).read_text() == before and "| +0.00 | +0.0 | 0 | 0 |" in said, said
        status, said = call(*common, "--against", sys.argv[1], "--strict", "--set", "method=epie", "--set", "passes=2")
        assert status == 1 and "Worse by more than 1 dB:" in said, said
        status, said = call(*common, "--program", "/bin/false")
        assert status == 0 and "Runs that failed" in said and "status 1" in said, said
        status, said = call(*common, "--set", "method=decoder", "--set", "steps=100000", "--limit", "1")
        assert status == 0 and "took more than 1 s" in said, said
        kept = pathlib.Path(rows).read_text()
        try:
            call(*common, "--set", "no_such_key=1")
        except SystemExit as error:
            assert "no_such_key" in str(error) and pathlib.Path(rows).read_text() == kept, error
        else:
            raise AssertionError("a wrong setting went on")


FIRST = scenes.Task("page", "overlapping", 40, 0)


def check_order():
    """The order never changes, parts are disjoint and together the whole, and what is quick is in small fields."""
    def list_tasks(*arguments):
        sys.argv[1:] = ["--program", "none", *arguments]
        return scenes.list_tasks(scenes.parse())
    old, sys.argv = sys.argv, sys.argv[:1]
    try:
        tasks, quick = list_tasks(), list_tasks("--quick")
        parts = [t for k in "123" for t in list_tasks("--part", f"{k}/3")]
    finally:
        sys.argv = old
    assert len(tasks) == 1680 and tasks[0] == FIRST and sorted(parts) == sorted(tasks)
    assert len(quick) == 28 and {scenes.get_settings(t)["image_size"] for t in quick} == {128}
    assert {t.regime for t in quick} == set(scenes.REGIMES) and {t.noise for t in quick} == set(scenes.NOISE)


CHECKS = [check_pictures, check_figures, check_noise, check_bound, check_verdicts, check_worse, check_order, check_sweep]


def main():
    print(f"1..{len(CHECKS)}", flush=True)
    failed = False
    for number, check in enumerate(CHECKS, 1):
        name = f"/bench/scenes/{check.__name__[6:]}"
        try:
            check()
            print(f"ok {number} {name}", flush=True)
        except (AssertionError, subprocess.SubprocessError) as error:
            failed = True
            line = error.__traceback__.tb_next.tb_lineno
            print(f"not ok {number} {name}")
            print("".join(f"# {text}\n" for text in f"line {line}: {error}".split("\n")), end="", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
