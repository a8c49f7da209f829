#!/usr/bin/env python3
"""Makes the figures of the handbook with the program itself.

usage: figures.py PRISM_CLI PATTERNS.png CLIFF.png
"""
import os
import struct
import subprocess
import sys
import tempfile
import zlib

GAP = 6         # px between two pictures
SCALE = 5       # a pixel of the object is a square of so many
SETTINGS = ['image_size=128', 'object_size=48', 'aperture_radius=6', 'samples=80', 'steps=50', 'backend=cpu', 'tuning=off']


def run(cli, folder, *settings):
    """The amplitudes of a reconstruction, rows of numbers."""
    values = [word for setting in SETTINGS + list(settings) for word in ('--set', setting)]
    subprocess.run([cli, 'run', '--quiet', *values, '--output', folder], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, 'reconstruction.npy'), 'rb') as file:
        data = file.read()
    length = struct.unpack('<H', data[8:10])[0]
    side = int((len(data) - 10 - length) / 4 + 0.5)
    numbers = struct.unpack(f'<{side}f', data[10 + length:])
    width = int(side ** 0.5 + 0.5)
    return [numbers[i * width:(i + 1) * width] for i in range(width)]


def save(path, pictures):
    """Grey pictures beside each other, each pixel as a square."""
    rows = []
    for y in range(len(pictures[0]) * SCALE):
        row = bytearray()
        for i, picture in enumerate(pictures):
            row += b'\xff' * (GAP if i else 0)
            for value in picture[y // SCALE]:
                row += bytes([max(0, min(255, round(255 * value)))]) * SCALE
        rows.append(bytes(row))
    def chunk(kind, body):
        return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
    head = struct.pack('>IIBBBBB', len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head)
                   + chunk(b'IDAT', zlib.compress(b''.join(b'\0' + row for row in rows))) + chunk(b'IEND', b''))


def main(cli, patterns, cliff):
    subprocess.run([cli, 'pattern', '--preset', 'quick-look', '--gallery', patterns, '--force'], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        save(cliff, [run(cli, os.path.join(folder, 'epie'), 'method=epie', 'passes=40'),
                     run(cli, os.path.join(folder, 'prism'))])


main(*sys.argv[1:])
