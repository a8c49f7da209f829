#!/usr/bin/env python3
"""Ten training steps in PyTorch as golden arrays that `verify` checks a device against.

    python3 make_steps.py OUT.npz [--image 512] [--object 128] [--radius 20] [--seed 1]

The same weights and targets on both sides, in the sizes that are benchmarked: output, losses, gradients and
the parameters after ten Adam steps, and the rest that a file of golden arrays must have: spectrum and detector
images, ePIE, and metrics, which know no size and are those of the file in tests/data. Runs on the processor, in
single precision.
"""
import argparse
import pathlib

import numpy as np
import torch
import torch.nn as nn

import peer_bench as peer

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "data" / "small_same.npz"
N_CENTERS = 8


def name_parameters(model):
    """In the engine's order and under its names."""
    named, layer = [("latent", model.latent)], -1
    for module in model.layers:
        if isinstance(module, nn.BatchNorm2d):
            named += [(f"layer{layer}.bn_scale", module.weight), (f"layer{layer}.bn_shift", module.bias)]
        elif isinstance(module, (nn.ConvTranspose2d, nn.Conv2d)):
            layer += 1
            named.append((f"layer{layer}.weight", module.weight))
            if module.bias is not None:
                named.append((f"layer{layer}.bias", module.bias))
    return named


def compute_losses(model, terms, n):
    """old, new"""
    spec = peer.spectrum(peer.embed(model(), n))
    return [peer.l1(peer.detect(spec, mask), target) for mask, target in terms]


def run_steps(model, terms, n, rate):
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    losses = []
    for _ in range(10):
        optimizer.zero_grad()
        old, new = compute_losses(model, terms, n)
        (old + new).backward()
        optimizer.step()
        losses.append([old.item(), new.item()])
    return losses


def run_epie(obj, centers, radius, n):
    """The field after one pass and after ten from a blank image."""
    axes = (-2, -1)
    masks = [peer.disk(n, y, x, radius) for y, x in centers]
    support = peer.embed(torch.ones_like(obj), n)
    truth = peer.spectrum(peer.embed(obj, n))
    amplitudes = [peer.detect(truth, mask) for mask in masks]
    spec, fields = peer.spectrum(0.5 * support), {}

    def to_image(values):
        return torch.fft.fftshift(torch.fft.ifft2(torch.fft.ifftshift(values, dim=axes), norm="ortho"), dim=axes)

    for number in range(1, 11):
        for mask, amplitude in zip(masks, amplitudes):
            seen = to_image(spec * mask)
            wave = peer.spectrum(amplitude * seen / (seen.abs() + 1e-12))
            spec = spec + mask * (wave - spec * mask)
        field = to_image(spec).real.clamp(0, 1) * support
        spec = peer.spectrum(field)
        if number in (1, 10):
            fields[f"epie/{number}"] = field
    return fields


def read_metrics():
    with np.load(GOLDEN) as golden:
        return {key: golden[key] for key in golden if key.startswith("metric.")}


def make_arrays(a):
    torch.manual_seed(a.seed)
    n, model = a.image, peer.Decoder(a.image, a.object)
    generator = torch.Generator().manual_seed(a.seed)
    obj, other = (torch.rand(a.object, a.object, generator=generator) for _ in range(2))
    centers = peer.fermat(N_CENTERS, n / 2)
    old, new = (peer.disk(n, *centers[i], a.radius) for i in (1, 4))
    spec = peer.spectrum(peer.embed(obj, n))
    held = peer.detect(peer.spectrum(peer.embed(other, n)), old)
    target = peer.detect(spec, new)
    terms = [(old, held), (new, target)]
    arrays = {"config.image": n, "config.object": a.object, "config.radius": a.radius, "config.edge": "same",
              "config.old_center": centers[1], "config.new_center": centers[4], "fermat": centers, "object": obj,
              "spectrum": torch.view_as_real(spec), "pupil.old": old, "pupil.new": new, "held": held,
              "amplitude.new": target, "intensity.new": target ** 2, "amplitude.old.of_object": peer.detect(spec, old)}
    arrays |= {f"init/{name}": value.detach().clone() for name, value in name_parameters(model)}
    arrays["out"] = model().detach()
    losses = compute_losses(model, terms, n)
    sum(losses).backward()
    arrays["loss.l1"] = [loss.item() for loss in losses]
    arrays |= {f"grad.l1/{name}": value.grad.clone() for name, value in name_parameters(model)}
    arrays |= {"adam.learning_rate": a.rate, "adam.losses": run_steps(model, terms, n, a.rate)}
    arrays |= {f"final/{name}": value.detach().clone() for name, value in name_parameters(model)}
    arrays["final.out"] = model().detach()
    return arrays | run_epie(obj, centers, 2 * a.radius, n) | read_metrics()


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("out")
    p.add_argument("--image", type=int, default=512)
    p.add_argument("--object", type=int, default=128)
    p.add_argument("--radius", type=float, default=20.0)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rate", type=float, default=2e-6, help="at which trajectories stay together; 1e-3 is chaos here")
    a = p.parse_args()
    arrays = make_arrays(a)
    np.savez(a.out, **{key: np.asarray(value) for key, value in arrays.items()})


if __name__ == "__main__":
    main()
