#!/usr/bin/env python3
"""Time prism-cli and PyTorch on the same training step, in turn, and print the ratio.

    python3 compare.py --cli build/src/cli/prism-cli [--python /usr/bin/python3] [--rounds 3]
                       [--memory replay] [--image 512] [--object 128] [--radius 20] [--json]

Each round runs both programs on 1 and on 2 threads, one after the other, so that a machine that
changes its speed changes it for both. Of each program the faster number of threads counts.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

PEER = pathlib.Path(__file__).with_name("peer_bench.py")


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"compare.py: {command[0]} failed with exit status {result.returncode}")
    return json.loads(result.stdout)


def run_prism(a, threads):
    return run([a.cli, "bench", "--json", f"--threads={threads}", f"--memory={a.memory}",
                f"--discs={a.discs}", f"--steps={a.steps}", "--set=pattern=fermat",
                f"--set=image_size={a.image}", f"--set=object_size={a.object}",
                f"--set=aperture_radius={a.radius}", f"--set=samples={a.samples}"])


def run_peer(a, threads):
    return run([a.python, str(PEER), f"--threads={threads}", f"--memory={a.memory}", f"--discs={a.discs}",
                f"--image={a.image}", f"--object={a.object}", f"--radius={a.radius}",
                f"--samples={a.samples}", f"--steps={a.peer_steps}"])


def summarise(rounds):
    """Over all rounds: median of the medians and best of the best."""
    return {"median_step_ms": statistics.median(r["median_step_ms"] for r in rounds),
            "best_step_ms": min(r["best_step_ms"] for r in rounds)}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--cli", required=True)
    p.add_argument("--python", default="/usr/bin/python3")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--memory", choices=["replay", "self"], default="replay")
    p.add_argument("--image", type=int, default=512)
    p.add_argument("--object", type=int, default=128)
    p.add_argument("--radius", type=float, default=20.0)
    p.add_argument("--samples", type=int, default=100)
    p.add_argument("--discs", type=int, default=50)
    p.add_argument("--steps", type=int, default=200)
    p.add_argument("--peer-steps", type=int, default=40)
    p.add_argument("--json", action="store_true")
    a = p.parse_args()
    programs = {"prism": run_prism, "peer": run_peer}
    threads = sorted({1, min(2, os.cpu_count() or 1)})
    results = {(name, t): [] for name in programs for t in threads}
    for _ in range(a.rounds):
        for t in threads:
            for name, program in programs.items():
                results[name, t].append(program(a, t))
                last = results[name, t][-1]
                print(f"{name} {t}: median {last['median_step_ms']:.2f} ms, best {last['best_step_ms']:.2f} ms",
                      file=sys.stderr, flush=True)

    prism, peer = results["prism", threads[0]][0], results["peer", threads[0]][0]
    if (prism["parameters"], prism["terms"]) != (peer["parameters"], peer["terms"]):
        sys.exit("compare.py: the two programs do not do the same work")
    table = {f"{name} {t}": summarise(r) for (name, t), r in results.items()}
    fastest = {name: min(table[f"{name} {t}"]["median_step_ms"] for t in threads) for name in programs}
    outcome = {
        "ratio": fastest["peer"] / fastest["prism"], "table": table, "rounds": a.rounds,
        "image_size": a.image, "object_size": a.object, "aperture_radius": a.radius, "memory": a.memory,
        "terms": prism["terms"], "coverage_discs": a.discs, "parameters": prism["parameters"],
        "versions": {"prism": prism["versions"], "PyTorch": peer["version"], "Python": peer["python"]},
        "device": prism["device"], "processor": prism["processor"], "load_average": os.getloadavg()[0]}
    if a.json:
        print(json.dumps(outcome, indent=2))
        return
    print(f"{a.object} px in {a.image} px, r = {a.radius:g}, memory {a.memory}, {prism['terms']} terms, "
          f"{a.discs} discs in the coverage, {prism['parameters']} parameters; {prism['processor']}")
    print(f"PRISM Studio {prism['versions']['PRISM Studio']} ({prism['device']}), "
          f"PyTorch {peer['version']} ({peer['adam']} Adam), {a.rounds} rounds in turn, "
          f"load average {outcome['load_average']:.1f} on {os.cpu_count()} processors")
    for key, row in table.items():
        name, t = key.split()
        print(f"  {name:6} {t} thread{'s' if t != '1' else ' '}  median {row['median_step_ms']:8.2f} ms  "
              f"best {row['best_step_ms']:8.2f} ms  {1e3 / row['median_step_ms']:7.1f} it/s")
    print(f"ratio of the faster medians: {outcome['ratio']:.2f}")


if __name__ == "__main__":
    main()
