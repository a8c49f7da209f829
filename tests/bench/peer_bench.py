#!/usr/bin/env python3
"""The training step of PRISM Studio in PyTorch, timed: the peer of `prism-cli bench`.

    python3 peer_bench.py [--image 512] [--object 128] [--radius 20] [--samples 100] [--discs 50]
                          [--memory replay|self] [--replay 4] [--threads 1] [--steps 60] [--device cpu]
                          [--graph] [--precision fp32|tf32|bf16|fp16] [--chunk 1]

The same work as one step there: decoder forward, one transform of its output, one detector image per
term, l1 losses, backward, Adam. The terms are the new measurement and, with "replay", replay-1 earlier
ones, with "self" one image through the union of the earlier apertures. Prints one line of JSON.
"""
import argparse
import json
import math
import platform
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class Decoder(nn.Module):
    """A learned latent vector through transposed and 3x3 convolutions to an [m][m] image."""

    def __init__(self, image_size, object_size):
        super().__init__()
        doublings = max(0, math.ceil(math.log2(object_size / 4)))
        channels = [image_size // 2]
        while len(channels) <= doublings or channels[-1] > 1:
            channels.append(max(1, channels[-1] // 2))
        self.object_size = object_size
        self.latent = nn.Parameter(torch.randn(1, image_size, 1, 1))
        layers, before = [], image_size
        for i, after in enumerate(channels):
            last = i == len(channels) - 1
            if i == 0:
                layers.append(nn.ConvTranspose2d(before, after, 4, 1, 0, bias=False))
            elif i <= doublings:
                layers.append(nn.ConvTranspose2d(before, after, 4, 2, 1, bias=False))
            else:
                layers.append(nn.Conv2d(before, after, 3, 1, 1, bias=last))
            if not last:
                layers += [nn.BatchNorm2d(after), nn.ReLU()]
            before = after
        self.layers = nn.Sequential(*layers)

    def forward(self):
        x = torch.sigmoid(self.layers(self.latent))[0, 0]
        low = (x.shape[-1] - self.object_size) // 2
        return x[low:low + self.object_size, low:low + self.object_size]


def embed(image, n):
    low = (n - image.shape[-1]) // 2
    high = n - image.shape[-1] - low
    return F.pad(image, (low, high, low, high))


def spectrum(field):
    return torch.fft.fftshift(torch.fft.fft2(torch.fft.ifftshift(field.to(torch.complex64)), norm="ortho"))


def detect(spec, mask):
    """mask [n][n], or several of them."""
    axes = (-2, -1)
    seen = torch.fft.ifft2(torch.fft.ifftshift(spec * mask, dim=axes), norm="ortho")
    return torch.fft.fftshift(seen, dim=axes).abs()


def l1(prediction, target):
    return (prediction - target).abs().mean() / (target.abs().mean() + 1e-8)


def disk(n, cy, cx, radius):
    k = torch.arange(n, dtype=torch.float64) - n // 2
    return ((k[:, None] - cy) ** 2 + (k[None, :] - cx) ** 2 <= radius ** 2).float()


def fermat(count, radius):
    i = torch.arange(count, dtype=torch.float64)
    rho, phi = radius * torch.sqrt(i / count), i * math.radians(137.508)
    return torch.stack([rho * torch.sin(phi), rho * torch.cos(phi)], 1).tolist()


def make_terms(a, model, device):
    """(new, [old]): pairs of mask and target."""
    n = a.image
    obj = spectrum(embed(torch.rand(a.object, a.object, generator=torch.Generator().manual_seed(1)), n))
    masks = [disk(n, cy, cx, a.radius) for cy, cx in fermat(a.samples, n / 2)[:a.discs + 1]]
    pairs = [(m.to(device), detect(obj, m).to(device)) for m in masks]
    if a.memory == "replay":
        return pairs[-1], pairs[:-1]
    union = torch.stack(masks[:-1]).amax(0).to(device)
    with torch.no_grad():
        return pairs[-1], [(union, detect(spectrum(embed(model(), n)), union))]


class Step:
    """One training step on a device: forward, losses, backward, Adam.

    All measurements lie on the device and the step counts itself, so that nothing but the launch of its
    kernels, or of the one graph they were captured into, is left to the host.
    """

    def __init__(self, a, form):
        torch.manual_seed(0)
        self.a, self.device = a, torch.device(a.device)
        self.model = Decoder(a.image, a.object).to(self.device)
        new, old = make_terms(a, self.model, self.device)
        self.new = new
        self.masks = torch.stack([mask for mask, _ in old])
        self.targets = torch.stack([target for _, target in old])
        self.norms = self.targets.abs().mean((1, 2)) + 1e-8
        self.n_old = min(a.replay - 1 if a.memory == "replay" else 1, len(old))
        spread = torch.arange(self.n_old) * (len(old) // self.n_old + 1)
        self.spread = spread.to(self.device)
        self.count = torch.zeros((), dtype=torch.long, device=self.device)
        options = {"plain": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}[form]
        if a.graph:
            options["capturable"] = True
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=2e-3, **options)

    def get_image(self):
        if self.a.precision in ("fp32", "tf32"):
            return self.model()
        kind = {"bf16": torch.bfloat16, "fp16": torch.float16}[self.a.precision]
        with torch.autocast(self.device.type, dtype=kind):
            return self.model().float()

    def compute_loss(self):
        spec = spectrum(embed(self.get_image(), self.a.image))
        mask, target = self.new
        loss = l1(detect(spec, mask), target)
        picks = (self.count * 7 + self.spread) % len(self.masks)
        seen = detect(spec, self.masks.index_select(0, picks))
        old = (seen - self.targets.index_select(0, picks)).abs().mean((1, 2))
        return loss + (old / self.norms.index_select(0, picks)).sum()

    def __call__(self):
        self.optimizer.zero_grad(set_to_none=not self.a.graph)
        loss = self.compute_loss()
        loss.backward()
        self.optimizer.step()
        self.count += 1
        return loss


def capture(step, n_warm_up):
    """The step as one CUDA graph; a few steps on another stream go before, as PyTorch asks for."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(n_warm_up):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def synchronise(device):
    if device != "cpu":
        torch.cuda.synchronize()


def measure(a, form, n_steps):
    """Milliseconds of a step, one value per chunk of steps, and what the step consists of."""
    step = Step(a, form)
    run = capture(step, max(a.warm_up, 3)) if a.graph and a.device != "cpu" else step
    times = []
    for i in range(-(-a.warm_up // a.chunk) - (-n_steps // a.chunk)):
        synchronise(a.device)
        since = time.perf_counter()
        for _ in range(a.chunk):
            run()
        synchronise(a.device)
        times.append(1e3 * (time.perf_counter() - since) / a.chunk)
    parameters = sum(p.numel() for p in step.model.parameters())
    return times[-(-a.warm_up // a.chunk):], parameters, 1 + step.n_old


def find_form(a):
    """Every form of Adam that this PyTorch has here is tried, the fastest one counts."""
    trials = {}
    for form in ("plain", "foreach", "fused"):
        try:
            trials[form] = min(measure(a, form, 5 * a.chunk)[0])
        except (RuntimeError, TypeError) as error:
            print(f"peer_bench.py: Adam as {form}: {error}", file=sys.stderr)
    if not trials:
        sys.exit("peer_bench.py: no form of Adam ran")
    return min(trials, key=trials.get)


def set_precision(precision):
    """What PyTorch calls float32 may be TF32 inside unless told otherwise."""
    allowed = precision != "fp32"
    torch.backends.cudnn.allow_tf32 = allowed
    torch.backends.cuda.matmul.allow_tf32 = allowed


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--image", type=int, default=512)
    p.add_argument("--object", type=int, default=128)
    p.add_argument("--radius", type=float, default=20.0)
    p.add_argument("--samples", type=int, default=100)
    p.add_argument("--discs", type=int, default=50)
    p.add_argument("--memory", choices=["replay", "self"], default="replay")
    p.add_argument("--replay", type=int, default=4)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--steps", type=int, default=60)
    p.add_argument("--warm-up", type=int, default=5)
    p.add_argument("--chunk", type=int, default=1, help="steps between two looks at the clock")
    p.add_argument("--device", default="cpu")
    p.add_argument("--graph", action="store_true", help="capture the step into a CUDA graph")
    p.add_argument("--precision", choices=["fp32", "tf32", "bf16", "fp16"], default="fp32")
    a = p.parse_args()
    torch.set_num_threads(a.threads)
    set_precision(a.precision)

    adam = find_form(a)
    times, parameters, terms = measure(a, adam, a.steps)
    print(json.dumps({
        "peer": "PyTorch", "version": torch.__version__, "python": platform.python_version(),
        "parameters": parameters, "median_step_ms": statistics.median(times), "best_step_ms": min(times),
        "adam": adam, "steps": a.steps, "warm_up_steps": a.warm_up, "coverage_discs": a.discs, "terms": terms,
        "memory": a.memory, "threads": a.threads, "device": a.device, "graph": a.graph,
        "precision": a.precision, "image_size": a.image, "object_size": a.object,
        "aperture_radius": a.radius}))


if __name__ == "__main__":
    main()
