#!/usr/bin/env python3
"""Reconstruct scenes that no number of the program was chosen for, and compare two programs or two settings on them.

    python3 scenes.py --program build/src/cli/prism-cli --rows rows.jsonl [--quick] [--part 1/4] [--jobs 1]
    python3 scenes.py --program NEW --against OLD --rows rows.jsonl [--set key=value]... [--env KEY=VALUE]...
                      [--both key=value]... [--scenes city,page] [--regimes sparse] [--noise 0,30] [--seeds 0,1,2]
                      [--strict] [--only-rows]

28 scenes (scene_pictures.py) × 4 regimes × 5 levels of noise × 3 seeds = 1680 runs. Their order is drawn once: what is
done when a sweep is interrupted is a fair sample, and --rows goes on with the next. --quick takes 28 of them in
small fields; --part 2/4 every fourth. The seed also decides the side of field and object, the pattern and the scene's
details. A regime is the area of all apertures over that of the disk they fill. Noise is in dB (0: none), in half of the
scenes shot noise alone, in the others read noise, too.

--set and --env are of --program alone, --both of both programs: with the same program on both sides they tell what a
switch is worth. PSNR and SSIM are computed here, against the scene. The bound is the PSNR of who knows the phase of
every measurement (compute_bound()), the best the highest that any run made of the same scene and noise with these
apertures or smaller ones. A picture is good within NEAR of both, but not below LEAST, or above GOOD; it is bad more
than NEAR below the best and below GOOD, or below LEAST where the frames tell more than that. A verdict is wrong that
says "explained" of a bad picture or "not explained" of a good one; open is what the program leaves open. --strict exits
with 1 where the median of a regime with noise is worse by more than 0.2 dB, or a run by more than 1 dB; without noise a
picture above CLEAN is never worse.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

import scene_pictures

NOISE = (0, 40, 30, 20, 10)
REGIMES = {"overlapping": 2.0, "touching": 0.9, "apart": 0.45, "sparse": 0.22}
QUICK = ("overlapping", "touching", "apart", "sparse", "overlapping", "touching")  # five scenes each
SAMPLES = {128: 49, 256: 100, 512: 144}
# By seed, then by scene: sides of field and object in px.
FIELDS = [[(128, 50), (128, 58), (128, 38)], [(256, 72), (256, 100), (256, 90)], [(256, 110), (512, 150), (256, 84)]]
PATTERNS = ("fermat", "random", "fermat", "raster")
READ = 5  # dB that the read noise lies below the shot noise
NEAR, GOOD, LEAST, CLEAN = 3.0, 40.0, 28.0, 45.0  # dB
MEDIAN, WORSE = 0.2, 1.0  # dB
MOST = 60.0  # dB: beyond it nobody sees a difference
STOPPED = (129, 130, 131, 143, -signal.SIGHUP, -signal.SIGINT, -signal.SIGQUIT, -signal.SIGTERM)
WRONG_SETTING = 2
COMMON = {"threads": 1, "backend": "cpu"}
ROUNDS = 60  # of compute_bound()

Task = collections.namedtuple("Task", "scene regime noise seed")


def list_tasks(a):
    scenes = list(scene_pictures.PICTURES)
    tasks = [Task(s, r, n, seed) for s in scenes for r in REGIMES for n in NOISE for seed in range(len(FIELDS))]
    random.Random(0).shuffle(tasks)
    if a.quick:
        wanted = {Task(s, QUICK[i // 5], NOISE[i % 5], 0) for i, s in enumerate(scenes)}
        tasks = [t for t in tasks if t in wanted]
    part, parts = (int(n) for n in a.part.split("/"))
    return [t for t in tasks[part - 1::parts] if t.scene in a.scenes and t.regime in a.regimes and t.noise in a.noise
            and t.seed in a.seeds]


def get_settings(task):
    """What the program is told, but for the object."""
    i = list(scene_pictures.PICTURES).index(task.scene)
    side, object_side = FIELDS[task.seed][i % 3]
    radius = side / 2 * (REGIMES[task.regime] / SAMPLES[side])**0.5
    settings = {**COMMON, "image_size": side, "object_size": object_side, "samples": SAMPLES[side], "seed": task.seed,
                "aperture_radius": round(radius, 2), "pattern": PATTERNS[(i // 2 + task.seed) % 4], "snr": task.noise}
    if task.noise and (i // 3 + task.seed) % 2:
        settings["read_snr"] = task.noise + READ
    return settings


def draw(task):
    return scene_pictures.draw(task.scene, get_settings(task)["object_size"], task.seed)


def compute_psnr(picture, truth):
    error = np.mean((picture.astype(float) - truth)**2)
    return 200.0 if error < 1e-20 else float(-10 * np.log10(error))


def compute_ssim(picture, truth):
    """Wang et al. (2004): a Gaussian window of 11 × 11, σ = 1.5, where it lies inside the picture."""
    m = len(truth)
    bell = np.exp(-np.arange(-5, 6)**2 / (2 * 1.5**2))
    window = np.zeros((m - 10, m))
    for i in range(m - 10):
        window[i, i:i + 11] = bell / bell.sum()
    x, y = picture.astype(float), truth.astype(float)
    mx, my, xx, yy, xy = (window @ v @ window.T for v in (x, y, x * x, y * y, x * y))
    c1, c2 = 0.01**2, 0.03**2
    ssim = (2 * mx * my + c1) * (2 * (xy - mx * my) + c2) / ((mx**2 + my**2 + c1) * (xx - mx**2 + yy - my**2 + c2))
    return float(ssim.mean())


def get_noise(intensity, settings):
    """Variance of the amplitude behind an aperture, in the mean over the pixels, as the camera's two noises make it."""
    square = np.mean(intensity**2)
    variance = np.zeros_like(intensity)
    if settings["snr"]:
        variance += intensity * square / np.mean(intensity) * 10**(-settings["snr"] / 10)
    if settings.get("read_snr"):
        variance += square * 10**(-settings["read_snr"] / 10)
    return np.mean(variance / (4 * np.maximum(np.maximum(intensity, np.sqrt(variance)), 1e-30)))


def measure_plane(spectrum, centers, settings):
    """Sum over the apertures of 1/variance, [n][n]: of one, or of their number where there is no noise."""
    n, radius = len(spectrum), settings["aperture_radius"]
    reach = int(radius) + 1
    side = min(n, 4 * reach + 4)
    weight = np.zeros((n, n))
    for center in centers:
        top, left = (int(round(c)) + n // 2 - reach for c in center)
        rows, columns = (np.arange(max(c, 0), min(c + 2 * reach + 1, n)) for c in (top, left))
        disk = np.hypot(rows[:, None] - n // 2 - center[0], columns[None, :] - n // 2 - center[1]) <= radius
        box = np.ix_(rows, columns)
        small = np.zeros((side, side), complex)
        small[:len(rows), :len(columns)] = spectrum[box] * disk
        noise = get_noise(np.abs(np.fft.ifft2(small) * side**2 / n**2)**2, settings) if settings["snr"] else 0.0
        weight[box] += disk / (n**2 * noise) if noise > 0 else disk
    return weight


def compute_bound(truth, centers, settings):
    """PSNR of who knows the phase of every measurement: the spectrum behind the apertures, with their noise, and an
    image in [0, 1] inside the object's square that agrees with it, by accelerated projections (Beck and Teboulle,
    2009). Noise is averaged and not removed: a better picture is possible."""
    n, m = settings["image_size"], len(truth)
    inside = np.s_[(n - m) // 2:(n - m) // 2 + m, (n - m) // 2:(n - m) // 2 + m]
    field = np.zeros((n, n))
    field[inside] = truth
    spectrum = np.fft.fftshift(np.fft.fft2(field))
    weight = measure_plane(spectrum, centers, settings)
    seen = weight > 0
    if settings["snr"]:
        rng = np.random.default_rng(settings["seed"])
        chance = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
        spectrum = spectrum + chance * np.sqrt(0.5 / np.where(seen, weight, np.inf))
    seen, spectrum = np.fft.ifftshift(seen), np.fft.ifftshift(spectrum)
    image, ahead, momentum = np.zeros((m, m)), np.zeros((m, m)), 1.0
    for _ in range(ROUNDS):
        field[inside] = ahead
        pull = np.fft.ifft2(np.where(seen, spectrum - np.fft.fft2(field), 0)).real[inside]
        old, image = image, np.clip(ahead + pull, 0, 1)
        momentum, last = (1 + (1 + 4 * momentum**2)**0.5) / 2, momentum
        ahead = image + (last - 1) / momentum * (image - old)
    return compute_psnr(image, truth)


class Side:
    """A program with the settings and the environment that it alone gets."""

    def __init__(self, path, settings, environment):
        self.path = pathlib.Path(path).resolve()
        self.settings, self.environment = sorted(settings), sorted(environment)
        texts = [hashlib.sha256(pathlib.Path(f).read_bytes()).hexdigest() for f in (self.path, scene_pictures.__file__)]
        text = json.dumps([*texts, self.settings, self.environment])
        self.key = hashlib.sha256(text.encode()).hexdigest()[:12]

    def run(self, a, task):
        """A row of results, or one that says why there are none; nothing where somebody stopped the run."""
        settings, truth = get_settings(task), draw(task)
        row = {"side": self.key, "program": str(self.path), "set": self.settings, "env": self.environment,
               **task._asdict(), **settings}
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            np.save(folder / "scene.npy", truth)
            told = [f"object={folder / 'scene.npy'}", *(f"{k}={v}" for k, v in settings.items()), *self.settings]
            command = [str(self.path), "run", "--quiet", "--output", str(folder), *(f"--set={s}" for s in told)]
            started = time.monotonic()
            with open(folder / "log", "w+") as log:
                child = subprocess.Popen(command, stdout=log, stderr=log,
                                         env={**os.environ, **dict(e.split("=", 1) for e in self.environment)})
                resource.prlimit(child.pid, resource.RLIMIT_CPU, (a.limit, a.limit + 5))
                _, status, usage = os.wait4(child.pid, 0)
                log.seek(0)
                said = log.read().strip()
            row.update(cpu=usage.ru_utime + usage.ru_stime, wall=time.monotonic() - started,
                       memory=usage.ru_maxrss // 1024)
            code = os.waitstatus_to_exitcode(status)
            if code in STOPPED:
                return None
            if code == WRONG_SETTING:
                raise ValueError(said)
            if code != 0:
                late = code == -signal.SIGXCPU
                return {**row, "failed": f"took more than {a.limit} s" if late else f"status {code}: {said[-300:]}"}
            summary = json.loads((folder / "summary.json").read_text())
            picture, centers = (np.load(folder / f"{name}.npy") for name in ("reconstruction", "centers"))
        verdict = summary["verdict"]
        return {**row, "psnr": compute_psnr(picture, truth), "ssim": compute_ssim(picture, truth),
                "verdict": verdict["kind"], "rest": verdict["rest"], "training": summary["training"],
                "settling": summary["settling"]["kind"], "coverage": summary["coverage"],
                "bound": compute_bound(truth, centers, settings)}


def get_task(row):
    return Task(*(row[f] for f in Task._fields))


def load_rows(path):
    """(side, task) → row, of those runs that would be made with the same settings today."""
    if path is None or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f if line.endswith("\n")]
    return {(r["side"], get_task(r)): r for r in rows if get_settings(get_task(r)).items() <= r.items()}


def sweep(a, sides, tasks):
    """Runs what the file does not have, both programs in turn; returns the rows of these sides and tasks."""
    rows = load_rows(a.rows)
    wanted = [(side, task) for task in tasks for side in sides]
    missing = [w for w in wanted if (w[0].key, w[1]) not in rows]
    lock = threading.Lock()

    def run(work):
        side, task = work
        row = side.run(a, task)
        if row is None:
            return
        with lock:
            rows[side.key, task] = row
            if a.rows is not None:
                with open(a.rows, "a", encoding="utf-8") as f:
                    f.write(json.dumps(row) + "\n")
            result = row.get("failed") or f"{row['psnr']:.1f} dB, {row['verdict']}, {row['training']}"
            print(side.key, *task, f"{row['cpu']:.1f} s", result, file=sys.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        try:
            list(pool.map(run, missing))
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            print("Interrupted; the tables are of what was done.", file=sys.stderr)
        except ValueError as error:
            pool.shutdown(cancel_futures=True)
            sys.exit(f"scenes.py: {error}")
    return [rows[side.key, task] for side, task in wanted if (side.key, task) in rows]


def judge(rows):
    """Adds to each row what its verdict is, right, wrong, open or failed, and the PSNR that decides it."""
    best = collections.defaultdict(float)
    for r in rows:
        for regime in REGIMES:
            if REGIMES[regime] >= REGIMES[r["regime"]]:
                key = r["scene"], r["noise"], r["seed"], regime
                best[key] = max(best[key], r.get("psnr", 0.0))
    for r in rows:
        if "failed" in r:
            r["judged"] = "failed"
            continue
        most = best[r["scene"], r["noise"], r["seed"], r["regime"]]
        good = max(min(max(most, r["bound"]) - NEAR, GOOD), LEAST)
        bad = max(min(most - NEAR, GOOD), min(LEAST, r["bound"] - NEAR))
        r["judged"], r["needed"] = "open", good
        if r["verdict"] == "explained":
            r["judged"], r["needed"] = "wrong" if r["psnr"] < bad else "right", bad
        elif r["verdict"] == "not explained":
            r["judged"] = "wrong" if r["psnr"] >= good else "right"


def name_noise(noise):
    return f"{noise} dB" if noise else "no noise"


def describe(r):
    text = (f"{r['scene']}, {r['regime']}, {name_noise(r['noise'])}, seed {r['seed']} "
            f"({r['object_size']} px in {r['image_size']} px, r {r['aperture_radius']}, {r['pattern']})")
    if "failed" in r:
        return f"{text}: {r['failed']}"
    limit = "bad below" if r["verdict"] == "explained" else "good above"
    return (f"{text}: {r['psnr']:.1f} dB, {r['verdict']}, rest {r['rest']:.4g}, training {r['training']}, "
            f"{r['cpu']:.0f} s; {limit} {r['needed']:.1f} dB, bound {r['bound']:.1f}")


def print_table(titles, lines):
    print(f"\n| {' | '.join(titles)} |\n{'|---' * len(titles)}|")
    for line in lines:
        print(f"| {' | '.join(line)} |")


def count(rows, what):
    return str(sum(r["judged"] == what for r in rows))


def format_group(rows):
    done = [r for r in rows if "failed" not in r]
    if not done:
        return ["–"] * 10
    psnr, cpu = [r["psnr"] for r in done], [r["cpu"] for r in rows]
    return [str(len(rows)), f"{statistics.median(psnr):.1f} ({min(psnr):.1f})",
            f"{statistics.median(r['ssim'] for r in done):.3f}",
            *(count(rows, w) for w in ("right", "wrong", "open", "failed")),
            str(sum(r["training"] in ("needed", "rescued") for r in done)),
            f"{statistics.median(cpu):.1f}", f"{max(cpu):.1f}"]


def print_results(rows):
    titles = ["runs", "PSNR, dB (lowest)", "SSIM", "right", "wrong", "open", "failed", "trained", "CPU s", "longest"]
    groups = [(f"{regime}, {name_noise(n)}", [r for r in rows if (r["regime"], r["noise"]) == (regime, n)])
              for regime in REGIMES for n in NOISE]
    groups += [(regime, [r for r in rows if r["regime"] == regime]) for regime in REGIMES]
    groups.append(("all", rows))
    print_table(["regime", *titles], [[name, *format_group(g)] for name, g in groups if g])
    print_table(["scene", *titles], [[s, *format_group(g)] for s in scene_pictures.PICTURES
                                     if (g := [r for r in rows if r["scene"] == s])])
    for what in ("wrong", "failed"):
        if any(r["judged"] == what for r in rows):
            print(f"\n{'Verdicts that are wrong' if what == 'wrong' else 'Runs that failed'}:\n")
            print("\n".join(f"- {describe(r)}" for r in rows if r["judged"] == what))
    print("\nThe longest runs:\n")
    print("\n".join(f"- {r['cpu']:.0f} s: {describe(r)}" for r in sorted(rows, key=lambda r: -r["cpu"])[:5]))


def get_difference(old, new):
    return min(new["psnr"], MOST) - min(old["psnr"], MOST)


def is_worse(old, new):
    if "failed" in old or "failed" in new:
        return "failed" not in old
    if new["noise"] == 0 and min(old["psnr"], new["psnr"]) >= CLEAN:
        return False
    return get_difference(old, new) < -WORSE


def get_differences(pairs):
    return [get_difference(*p) for p in pairs if all("failed" not in r for r in p)]


def get_median(pairs):
    return statistics.median(get_differences(pairs) or [0.0])


def format_pairs(pairs):
    differences = get_differences(pairs)
    if not differences:
        return ["–"] * 8
    old, new = zip(*pairs)
    times = [statistics.median(r["cpu"] for r in side) for side in (old, new)]
    return [str(len(pairs)), f"{statistics.median(differences):+.2f}", f"{min(differences):+.1f}",
            str(sum(is_worse(*p) for p in pairs)), str(sum(is_worse(b, a) for a, b in pairs)),
            f"{count(old, 'wrong')} → {count(new, 'wrong')}", f"{count(old, 'failed')} → {count(new, 'failed')}",
            f"{times[0]:.1f} → {times[1]:.1f} ({times[1] / times[0]:.2f})"]


def print_comparison(rows, old, new):
    """Returns whether --strict is content."""
    found = {(r["side"], get_task(r)): r for r in rows}
    pairs = [(found[old.key, t], r) for (side, t), r in found.items() if side == new.key and (old.key, t) in found]
    print(f"\nBefore: {old.path} · now: {new.path} {' '.join(new.settings + new.environment)}")
    groups = [(f"{regime}, {'noise' if noisy else 'no noise'}",
               [p for p in pairs if p[0]["regime"] == regime and (p[0]["noise"] > 0) == noisy])
              for noisy in (True, False) for regime in REGIMES]
    titles = ["regime", "runs", "median dB", "worst dB", "worse", "better", "wrong verdicts", "failed", "CPU s"]
    print_table(titles, [[name, *format_pairs(g)] for name, g in groups + [("all", pairs)] if g])
    worse = sorted((p for p in pairs if is_worse(*p)), key=lambda p: "failed" in p[1] or get_difference(*p))
    if worse:
        print(f"\nWorse by more than {WORSE:g} dB:\n")
        print("\n".join(f"- {describe(b)}; before: {a['psnr']:.1f} dB, {a['cpu']:.0f} s" for a, b in worse))
    falls = [name for name, g in groups[:len(REGIMES)] if get_median(g) < -MEDIAN]
    return not worse and not falls


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", required=True)
    p.add_argument("--against")
    p.add_argument("--rows")
    p.add_argument("--quick", action="store_true")
    p.add_argument("--part", default="1/1")
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--limit", type=int, default=900, help="seconds of CPU time that a run may take")
    for name in ("set", "env", "both"):
        p.add_argument(f"--{name}", action="append", default=[])
    p.add_argument("--scenes", default=",".join(scene_pictures.PICTURES))
    p.add_argument("--regimes", default=",".join(REGIMES))
    p.add_argument("--noise", default=",".join(map(str, NOISE)))
    p.add_argument("--seeds", default=",".join(map(str, range(len(FIELDS)))))
    p.add_argument("--only-rows", action="store_true", help="run nothing: tables of what --rows has")
    p.add_argument("--strict", action="store_true")
    a = p.parse_args()
    for name, known in (("scenes", scene_pictures.PICTURES), ("regimes", REGIMES), ("noise", map(str, NOISE)),
                        ("seeds", map(str, range(len(FIELDS))))):
        values, known = getattr(a, name).split(","), list(known)
        unknown = [v for v in values if v not in known]
        if unknown:
            p.error(f"--{name}: there is no {unknown[0]}; one or more of {', '.join(known)}")
        setattr(a, name, [int(v) if name in ("noise", "seeds") else v for v in values])
    return a


def main():
    a = parse()
    sides = [Side(a.program, a.set + a.both, a.env)]
    if a.against:
        sides.insert(0, Side(a.against, a.both, []))
    tasks = list_tasks(a)
    if a.only_rows:
        done = load_rows(a.rows)
        rows = [done[s.key, t] for t in tasks for s in sides if (s.key, t) in done]
    else:
        rows = sweep(a, sides, tasks)
    judge(rows)
    if not rows:
        sys.exit("scenes.py: there are no results.")
    print_results([r for r in rows if r["side"] == sides[-1].key])
    if a.against:
        content = print_comparison(rows, *sides)
        return int(a.strict and not content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
