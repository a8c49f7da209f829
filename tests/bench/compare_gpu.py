#!/usr/bin/env python3
"""Time prism-cli and PyTorch on one GPU, in turn, and print the table for docs/benchmarks.md.

    python3 compare_gpu.py --cli prism-cli [--python python3] [--sizes 512/128/20 1024/512/40 2048/1024/80]
                           [--precisions fp32 bf16] [--rounds 3] [--rehearse]

The same step on both sides: the same decoder, four measurements, l1, Adam. PyTorch runs it as it is written
(eager) and captured into one CUDA graph; of the forms of its Adam the fastest counts. Every program looks at
the clock once per chunk of steps, after the device is through. --rehearse runs everything once, on whatever
device the module finds and PyTorch on the processor, where there is one, for a few steps: a test of this script,
no measurement.
"""
import argparse
import datetime
import json
import statistics
import subprocess
import sys
import pathlib

PEER = pathlib.Path(__file__).with_name("peer_bench.py")
COLUMNS = ("field / object / radius", "precision", "PRISM Studio ms (best)", "steps/s", "PyTorch eager ms (best)",
           "PyTorch graph ms (best)", "against eager", "against graph")


def run(command):
    """The last line of the output as JSON, or None where the program failed; that is told, not fatal."""
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0 or not result.stdout.strip():
        print(f"compare_gpu.py: {' '.join(command)}: exit status {result.returncode}", file=sys.stderr)
        return None
    return json.loads(result.stdout[result.stdout.index("{"):])


def run_prism(a, size, precision):
    image, obj, radius = size
    return run([a.cli, "bench", "--json", f"--precision={precision}", "--backend=cuda", f"--steps={a.steps}",
                f"--warm-up={a.warm_up}", f"--discs={a.discs}", "--memory=replay", "--set=pattern=fermat",
                f"--set=image_size={image}", f"--set=object_size={obj}", f"--set=aperture_radius={radius:g}",
                f"--set=samples={a.samples}"])


def has_peer(a):
    return subprocess.run([a.python, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode == 0


def run_peer(a, size, precision, graph):
    image, obj, radius = size
    command = [a.python, str(PEER), f"--image={image}", f"--object={obj}", f"--radius={radius:g}",
               f"--samples={a.samples}", f"--discs={a.discs}", f"--steps={a.peer_steps}",
               f"--warm-up={a.warm_up}", f"--chunk={a.chunk}", f"--precision={precision}",
               f"--device={'cpu' if a.rehearse else 'cuda'}"]
    if graph and not a.rehearse:
        command.append("--graph")
    return run(command)


def summarise(rounds):
    """Median of the medians and best of the best; None where a round is missing."""
    if not rounds or None in rounds:
        return None
    return {"median": statistics.median(r["median_step_ms"] for r in rounds),
            "best": min(r["best_step_ms"] for r in rounds), "first": rounds[0]}


def measure(a, size, precision):
    """In turn, so that a card that changes its clock changes it for all."""
    rounds = {"prism": [], "eager": [], "graph": []}
    for _ in range(a.rounds):
        rounds["prism"].append(run_prism(a, size, precision))
        if a.peers:
            rounds["eager"].append(run_peer(a, size, precision, False))
            rounds["graph"].append(run_peer(a, size, precision, True))
    return {name: summarise(values) for name, values in rounds.items()}


def check_work(row):
    """The two programs must do the same work."""
    prism, peer = row["prism"], row["eager"]
    if prism and peer:
        for key in ("parameters", "terms"):
            if prism["first"][key] != peer["first"][key]:
                sys.exit(f"compare_gpu.py: {key}: {prism['first'][key]} here, {peer['first'][key]} in PyTorch")


def format_time(summary):
    return f"{summary['median']:.4f} ({summary['best']:.4f})" if summary else "—"


def format_ratio(peer, prism):
    return f"{peer['median'] / prism['median']:.2f}" if peer and prism else "—"


def format_row(size, precision, row):
    """The row, and what the device said about this precision: it may have computed in another one."""
    prism = row["prism"]
    advice = prism and prism["first"].get("precision_advice")
    cells = ["/".join(f"{value:g}" for value in size), precision + (" ¹" if advice else ""), format_time(prism),
             f"{1e3 / prism['median']:.0f}" if prism else "—", format_time(row["eager"]),
             format_time(row["graph"]), format_ratio(row["eager"], prism), format_ratio(row["graph"], prism)]
    return "| " + " | ".join(cells) + " |", advice


def print_head(a, row):
    """What the table is of, from the first row; rows come when they are measured."""
    prism = row["prism"]["first"] if row["prism"] else {"device": "no device", "versions": {"PRISM Studio": "?"}}
    peers = [row[name]["first"] for name in ("eager", "graph") if row[name]]
    peer = f"PyTorch {peers[0]['version']}" if peers else "no PyTorch"
    what = "REHEARSAL, no measurement; " if a.rehearse else ""
    print(f"\n{what}{datetime.date.today().isoformat()}, {prism['device']}, PRISM Studio "
          f"{prism['versions']['PRISM Studio']}, {peer}; four terms a step, {a.discs} discs in the "
          f"coverage, {a.steps} steps after {a.warm_up} ({a.peer_steps} in PyTorch), {a.rounds} rounds in turn:\n")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS), flush=True)


def measure_table(a):
    """Prints a row as soon as it is known; returns whether every program ran."""
    complete, advices = True, set()
    for number, (size, precision) in enumerate((s, p) for s in a.sizes for p in a.precisions):
        row = measure(a, size, precision)
        check_work(row)
        if number == 0:
            print_head(a, row)
        line, advice = format_row(size, precision, row)
        print(line, flush=True)
        advices |= {advice} if advice else set()
        complete = complete and row["prism"] is not None and (not a.peers or None not in row.values())
    for advice in sorted(advices):
        print(f"\n¹ {advice}")
    return complete


def parse_size(text):
    image, obj, radius = text.split("/")
    return int(image), int(obj), float(radius)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--cli", required=True)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--sizes", nargs="+", type=parse_size,
                   default=[(512, 128, 20.0), (1024, 512, 40.0), (2048, 1024, 80.0)])
    p.add_argument("--precisions", nargs="+", default=["fp32", "bf16"])
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--steps", type=int, default=3200)
    p.add_argument("--peer-steps", type=int, default=320)
    p.add_argument("--warm-up", type=int, default=64)
    p.add_argument("--chunk", type=int, default=32)
    p.add_argument("--samples", type=int, default=100)
    p.add_argument("--discs", type=int, default=50)
    p.add_argument("--rehearse", action="store_true")
    a = p.parse_args()
    a.peers = not a.rehearse or has_peer(a)
    if a.rehearse:
        a.sizes, a.rounds, a.steps, a.peer_steps = [(64, 32, 6.0)], 1, 4, 4
        a.warm_up, a.chunk, a.samples, a.discs = 1, 2, 10, 5
    if not measure_table(a):
        sys.exit("compare_gpu.py: not every program ran; see above")


if __name__ == "__main__":
    main()
