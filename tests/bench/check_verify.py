#!/usr/bin/env python3
"""Whether `verify` passes the golden arrays of tests/data, and no others, as TAP.

    python3 check_verify.py VERIFY
"""
import io
import os
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

DATA = os.environ["PRISM_TEST_DATA"]
os.environ["LC_ALL"] = "C.UTF-8"
# One array of each check, and the check that must fail where its last value is off by 0.01.
CHECKS = {"out": "forward", "amplitude.old.of_object": "amplitude.old.of_object", "metric.psnr": "metric.psnr",
          "grad.l1/layer2.weight": "grad.l1", "epie/1": "epie/1"}
# Of each group of arrays one.
ARRAYS = ["config.old_center", "object", "spectrum", "pupil.new", "fermat", "init/layer2.weight", "out", "held",
          "amplitude.new", "intensity.new", "amplitude.old.of_object", "loss.l1", "grad.ms-ssim/layer3.bn_shift",
          "adam.losses", "final/latent", "final.out", "metric.a", "metric.b", "metric.ssim", "epie/10"]


def run(folder, changes):
    """(exit status, output) for a copy in which some arrays are others: bytes, arrays, or None for none."""
    path = os.path.join(folder, "tampered.npz")
    with zipfile.ZipFile(os.path.join(DATA, "small_same.npz")) as source, zipfile.ZipFile(path, "w") as copy:
        for name in source.namelist():
            if name.removesuffix(".npy") not in changes:
                copy.writestr(name, source.read(name))
        for key, array in changes.items():
            if array is not None:
                data = io.BytesIO()
                np.save(data, array)
                copy.writestr(key + ".npy", data.getvalue())
    result = subprocess.run([sys.argv[1], "--backend", "cpu", path], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def main():
    failures = 0

    def tell(good, name, output):
        nonlocal failures
        failures += not good
        print(f"{'ok' if good else 'not ok'} - {name}" + ("" if good else "\n# " + output.replace("\n", "\n# ")))

    print(f"1..{1 + len(CHECKS) + 2 + 3 * len(ARRAYS)}")
    files = [os.path.join(DATA, name) for name in ("small_same.npz", "small_valid.npz", "medium_same.npz")]
    result = subprocess.run([sys.argv[1], "--backend", "cpu", *files], capture_output=True, text=True, check=False)
    tell(result.returncode == 0 and result.stdout.endswith("\n0 failed\n"), "golden", result.stdout + result.stderr)
    with np.load(files[0]) as golden, tempfile.TemporaryDirectory() as folder:
        for key, name in CHECKS.items():
            array = golden[key].copy()
            array.reshape(-1)[-1] += 0.01
            status, output = run(folder, {key: array})
            tell(status == 1 and f"FAIL  {name} " in output and output.endswith("\n1 failed\n"), f"tampered {key}", output)
        for key in ARRAYS:
            wrong = golden[key].copy()
            wrong.reshape(-1)[0] = np.nan
            for what, array in (("nan", wrong), ("empty", wrong[:0] if wrong.ndim else wrong.reshape(1)[:0]), ("none", None)):
                status, output = run(folder, {key: array})
                tell(status not in (0, 1) and f"“{key}" in output, f"{what} {key}", output)
        status, output = run(folder, {"loss.huber": np.zeros(2)})
        tell(status not in (0, 1) and "“loss.huber”" in output, "unknown", output)
        # Files of large decoders have a rate; these were made with 1e-3.
        status, output = run(folder, {"adam.learning_rate": np.array(1e-4)})
        tell(status == 1 and output.count("FAIL") >= 3, "learning rate", output)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
