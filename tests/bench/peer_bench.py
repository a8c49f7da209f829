#!/usr/bin/env python3
"""The training step of PRISM Studio in PyTorch, timed: the peer of `prism-cli bench`.

    python3 peer_bench.py [--image 512] [--object 128] [--radius 20] [--samples 100] [--discs 50]
                          [--memory replay|self] [--replay 4] [--threads 1] [--steps 60] [--device cpu]

The same work as one step there: decoder forward, one transform of its output, one detector image per
term, l1 losses, backward, Adam. The terms are the new measurement and, with "replay", replay-1 earlier
ones, with "self" one image through the union of the earlier apertures. Prints one line of JSON.
"""
import argparse
import json
import math
import platform
import statistics
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
    return torch.fft.fftshift(torch.fft.ifft2(torch.fft.ifftshift(spec * mask), norm="ortho")).abs()


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


def measure(a, foreach, n_steps):
    """Milliseconds of each of the n_steps after the warm-up."""
    torch.manual_seed(0)
    device = torch.device(a.device)
    model = Decoder(a.image, a.object).to(device)
    new, old = make_terms(a, model, device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, foreach=foreach)
    n_old = min(a.replay - 1 if a.memory == "replay" else 1, len(old))
    times = []
    for step in range(a.warm_up + n_steps):
        terms = [new] + [old[(step * 7 + k * (len(old) // n_old + 1)) % len(old)] for k in range(n_old)]
        since = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        spec = spectrum(embed(model(), a.image))
        loss = sum(l1(detect(spec, mask), target) for mask, target in terms)
        loss.backward()
        optimizer.step()
        if a.device != "cpu":
            torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - since))
    parameters = sum(p.numel() for p in model.parameters())
    return times[a.warm_up:], parameters, 1 + n_old


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
    p.add_argument("--device", default="cpu")
    a = p.parse_args()
    torch.set_num_threads(a.threads)

    # Both forms of Adam are tried, the faster one counts.
    forms = {"plain": False, "foreach": True}
    trials = {name: min(measure(a, form, 5)[0]) for name, form in forms.items()}
    adam = min(trials, key=trials.get)
    times, parameters, terms = measure(a, forms[adam], a.steps)
    print(json.dumps({
        "peer": "PyTorch", "version": torch.__version__, "python": platform.python_version(),
        "parameters": parameters, "median_step_ms": statistics.median(times), "best_step_ms": min(times),
        "adam": adam, "steps": a.steps, "warm_up_steps": a.warm_up, "coverage_discs": a.discs, "terms": terms,
        "memory": a.memory, "threads": a.threads, "device": a.device, "image_size": a.image,
        "object_size": a.object, "aperture_radius": a.radius}))


if __name__ == "__main__":
    main()
