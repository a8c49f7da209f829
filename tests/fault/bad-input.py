#!/usr/bin/env python3
"""Malformed, truncated, huge and foreign files, and bad configurations. Speaks TAP.

    bad-input.py --cli PRISM-CLI [--address-space no]

Each is refused before a run begins, in one sentence that names the file or key, the reason and the limit or range;
nothing is written. What is refused quickly and with little memory is checked by a limit on the address space, which
“no” leaves out: the address sanitizer reserves terabytes.
"""

import os
import resource
import struct
import tempfile
import zlib

from cli import Program, find_rudeness, parse_options, settings, EXIT_CONFIG, EXIT_IO
from tap import Tap

# Bytes of address space: a header that asks for more must be refused, not tried.
ADDRESS_SPACE = 2 << 30
MILLION = 1_000_000


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def make_png(width, height, rows=b'', depth=8, color=0):
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, depth, color, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def make_jpeg(width, height, scan=True):
    return (b'\xff\xd8\xff\xdb\x00\x43\x00' + b'\x01' * 64
            + b'\xff\xc0\x00\x0b\x08' + struct.pack('>HH', height, width) + b'\x01\x01\x11\x00'
            + b'\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00' * scan + b'\xff\xd9')


def make_tiff(width, height):
    entries = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
               (273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, height), (279, 4, 1, 16)]
    return (b'II*\0' + struct.pack('<I', 8) + struct.pack('<H', len(entries))
            + b''.join(struct.pack('<HHII', *entry) for entry in entries) + b'\0' * 20)


def make_fits(width, height, bitpix=8):
    cards = [f'SIMPLE  = {"T":>20}', f'BITPIX  = {bitpix:>20}', f'NAXIS   = {2:>20}', f'NAXIS1  = {width:>20}',
             f'NAXIS2  = {height:>20}', 'END']
    return ''.join(f'{card:<80}' for card in cards).ljust(2880).encode()


def make_npy(shape, kind='<f4', data=b'\0' * 64):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += ' ' * (-(len(header) + 11) % 64) + '\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + data


LIMIT = 'at most 16384 × 16384'
GOOD_ROWS = b''.join(b'\0' + bytes((x * y) % 256 for x in range(32)) for y in range(32))
GOOD_PNG = make_png(32, 32, GOOD_ROWS)
# name: (contents, parts of the sentence beside the file's name)
IMAGES = {
    'empty.png': (b'', []),
    'text.png': (b'hello, world\n' * 100, ['PNG, JPEG, TIFF']),
    'cut-header.png': (GOOD_PNG[:20], ['PNG']),
    'cut-data.png': (GOOD_PNG[:60], ['PNG']),
    'no-rows.png': (make_png(32, 32, b'\0' * 40), ['PNG']),
    'bad-crc.png': (GOOD_PNG[:16] + b'\0\0\0\x30' + GOOD_PNG[20:], ['PNG']),
    'huge.png': (make_png(2**31 - 1, 2**31 - 1), [LIMIT]),
    'large.png': (make_png(60000, 60000), [LIMIT]),
    'nothing.png': (make_png(0, 0), ['PNG']),
    'cut.jpg': (make_jpeg(32, 32)[:40], ['JPEG']),
    'no-scan.jpg': (make_jpeg(32, 32, False), ['JPEG']),
    'huge.jpg': (make_jpeg(65500, 65500), [LIMIT]),
    'cut.tif': (make_tiff(32, 32)[:30], ['TIFF']),
    'no-strip.tif': (make_tiff(32, 32), ['TIFF']),
    'huge.tif': (make_tiff(2**32 - 1, 2**32 - 1), []),
    'large.tif': (make_tiff(60000, 60000), [LIMIT]),
    'cut.fits': (make_fits(32, 32)[:160], ['FITS']),
    'no-data.fits': (make_fits(32, 32), ['FITS']),
    'huge.fits': (make_fits(10**9, 10**9), [LIMIT]),
    'odd.fits': (make_fits(32, 32, 7), ['FITS']),
    'huge.npy': (make_npy((10**9, 10**9)), []),
    'overflow.npy': (make_npy((2**62, 4)), []),
    'cut.npy': (make_npy((32, 32)), ['npy']),
    'objects.npy': (make_npy((4, 4), '|O'), ['npy']),
    'flat.npy': (make_npy((16,)), []),
}
# name: (contents, parts of the sentence)
CONFIGS = {
    'nan': (b'[prism]\nsnr=nan\n', ['line 2', 'snr', '0 to 100']),
    'infinity': (b'[prism]\n\nlearning_rate=inf\n', ['line 3', 'learning_rate']),
    'range': (b'[prism]\nsamples=0\n', ['line 2', 'samples', '1']),
    'type': (b'[prism]\nsamples=many\n', ['line 2', 'samples', 'many']),
    'overflow': (b'[prism]\nsamples=99999999999999999999\n', ['line 2', 'samples']),
    'switch': (b'[prism]\ncapture=on\n', ['line 2', 'capture']),
    'choice': (b'[prism]\nmemory=elephant\n', ['line 2', 'memory', 'replay']),
    'unknown': (b'[prism]\nsampels=4\n', ['line 2', 'sampels', 'samples']),
    'group': (b'[other]\nsamples=4\n', ['prism']),
    'no-group': (b'samples=4\n', ['line 1']),
    'no-value': (b'[prism]\nsamples\n', ['line 2']),
    'long-value': (b'[prism]\nobject=' + b'x' * 6000 + b'\n', ['line 2', 'object', '4096 bytes']),
    'long-number': (b'[prism]\nsamples=' + b'1' * 6000 + b'\n', ['line 2', 'samples', '1 to 100000']),
    'long-key': (b'[prism]\n' + b'k' * 6000 + b'=1\n', ['line 2']),
    'long-line': (b'[prism]\nsamples=' + b'1' * (MILLION // 5) + b'\n', ['line 2', '8192 bytes']),
    'binary': (bytes(range(256)) * 16, []),
    'nul': (b'[prism]\nsamples=4\0\n', []),
    'latin-1': (b'[prism]\nobject_text=caf\xe9\n', ['UTF-8']),
    'utf-16': ('[prism]\nsamples=4\n'.encode('utf-16'), []),
    'together': (b'[prism]\nimage_size=64\nobject_size=128\n', ['object_size', 'image_size']),
}
# Read like any file, and refused like one: with status 3.
LARGE_CONFIGS = {
    'megabyte-line': (b'[prism]\nobject=' + b'x' * MILLION + b'\n', ['256.0\xa0KiB']),
    'many-lines': (b'[prism]\n' + b'samples=4\n' * 200_000, ['256.0\xa0KiB']),
}
# Longer ones are no sentence that anybody reads.
LONGEST_MESSAGE = 1500


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


def check(program, name, arguments, code, parts, before):
    done = program.call('run', '-q', '-o', 'refused', *arguments, before=before)
    problems = find_rudeness(done, code, *parts)
    if len(done.stderr) > LONGEST_MESSAGE:
        problems.append(f'{name}: a message of {len(done.stderr)} characters')
    if os.path.exists(os.path.join(program.folder, 'refused', 'summary.json')):
        problems.append('something was written')
    return problems, done.stderr.strip()[:400]


def main():
    options = parse_options(__doc__, '--address-space')
    before = None if options.address_space == 'no' else limit_memory
    tap = Tap('/fault-input')
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.cli, folder)
        for name, (data, parts) in IMAGES.items():
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(data)
            tap.check(f'image/{name}', lambda name=name, parts=parts: check(
                program, name, settings({'object': name}), EXIT_IO, [name] + parts, before))
        for code, configs in ((EXIT_CONFIG, CONFIGS), (EXIT_IO, LARGE_CONFIGS)):
            for name, (data, parts) in configs.items():
                path = name + '.prism'
                with open(os.path.join(folder, path), 'wb') as file:
                    file.write(data)
                # What does not fit together may come from several places.
                named = [path] * (name != 'together')
                tap.check(f'config/{name}', lambda name=name, path=path, code=code, parts=named + parts: check(
                    program, name, ['--config', path], code, parts, before))
    tap.finish()


main()
