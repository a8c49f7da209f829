#!/usr/bin/env python3
"""Writes small files as torch.save() does, without PyTorch: write_checkpoints.py FOLDER.

A ZIP with the pickle, protocol 2, whose storages are persistent ids, and a part for each storage.
tests/fuzz/seeds/pickle was made with it.
"""
import collections
import io
import math
import os
import pickle
import struct
import sys
import types
import zipfile

torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
sys.modules.update({"torch": torch, "torch._utils": utils})
for name in ("FloatStorage", "ComplexFloatStorage", "LongStorage"):
    setattr(torch, name, type(name, (), {"__module__": "torch"}))


def _rebuild_tensor_v2(*_):
    """Only its name is written."""


_rebuild_tensor_v2.__module__ = "torch._utils"
utils._rebuild_tensor_v2 = _rebuild_tensor_v2


class Storage:
    """Bytes of one type, a part of the file of its own."""

    def __init__(self, values, kind):
        self.type = getattr(torch, kind)
        flat = [x for v in values for x in (v.real, v.imag)] if kind[0] == "C" else values
        self.data = struct.pack(f"<{len(flat)}{'q' if kind[0] == 'L' else 'f'}", *flat)
        self.n, self.key = len(values), None


class Tensor:
    """A view of a storage with strides."""

    def __init__(self, values, shape, kind="FloatStorage", stride=None):
        self.storage = Storage(values, kind)
        self.shape = tuple(shape)
        self.stride = stride or tuple(math.prod(shape[i + 1:]) for i in range(len(shape)))

    def __reduce__(self):
        return _rebuild_tensor_v2, (self.storage, 0, self.shape, self.stride, False, collections.OrderedDict())


class Command:
    """What nobody should run."""

    def __reduce__(self):
        return os.system, ("true",)


class Pickler(pickle._Pickler):
    """Notes the storages on the way."""

    def persistent_id(self, obj):
        if not isinstance(obj, Storage):
            return None
        if obj.key is None:
            obj.key = str(len(self.storages))
            self.storages.append(obj)
        return "storage", obj.type, obj.key, "cpu", obj.n


def save(obj, path):
    """As torch.save(): NAME/data.pkl, NAME/byteorder, NAME/data/0 …"""
    program = io.BytesIO()
    pickler = Pickler(program, 2)
    pickler.storages = []
    pickler.dump(obj)
    parts = {"data.pkl": program.getvalue(), "byteorder": b"little"}
    parts.update({f"data/{s.key}": s.data for s in pickler.storages})
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo("archive/" + name, (1980, 1, 1, 0, 0, 0)), data)


def main():
    """One file of each kind."""
    folder = sys.argv[1] + "/"
    points = [(8 * math.sqrt(i) * math.sin(2.4 * i), 8 * math.sqrt(i) * math.cos(2.4 * i)) for i in range(6)]
    flat = [x for point in points for x in point]
    ends = [x for y, z in points for x in (y, z - 5, y, z + 5)]
    settings = {"obj_name": "europa", "image_size": 256, "sample_diameter": 24, "snr": 40, "lr": 0.001,
                "blur_image": True, "use_cuda": False, "obj_size": 64, "dx": 1e3, "comment": "ä"}
    weights = collections.OrderedDict(w=Tensor([1, 2], [2]))
    weights._metadata = {"": {"version": 1}}
    save({"model": weights, "sample_centers": Tensor(flat, [6, 1, 2]), "args_dict": settings,
          "last_center_idx": Tensor([5], [], "LongStorage"), "pattern_metadata": {"docstring": None},
          "current_rec": Tensor([i / 16 for i in range(16)], [1, 1, 4, 4], stride=(16, 16, 1, 4))},
         folder + "checkpoint.pt")
    save({"object": Tensor([complex(3, 4)] * 6, [2, 3], "ComplexFloatStorage"),
          "sample_centers": Tensor(flat, [6, 1, 2]), "args_dict": {**settings, "lr_obj": 0.5, "n_epochs": 30}},
         folder + "mopie.pt")
    save({"centers": Tensor(ends, [6, 2, 2]), "diameter": 24.0}, folder + "lines.pt")
    save({"sample_centers": Command()}, folder + "command.pt")


main()
