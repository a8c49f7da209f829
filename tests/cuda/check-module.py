#!/usr/bin/env python3
"""What can be said of the compiled CUDA module without a GPU, as TAP.

usage: check-module.py MODULE HEADER PRISM_CLI ARCHITECTURES REPORT…

MODULE is libprism-cuda.so, HEADER prism-backend.h, ARCHITECTURES "75,80",
REPORT what the assembler said about one file of kernels.
"""
import ctypes
import os
import re
import struct
import subprocess
import sys

ENTRY = 'prism_cuda_backend_get_ops'
ENTRIES = [ENTRY, 'prism_cuda_recorded_get_ops']
FATBIN_MAGIC = 0xba55ed50

# Kernels that may keep something on their stack, and why: none.
ALLOWED_STACK = {}


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def read_kernels(reports):
    """(kernel, architecture, stack, spilled bytes, registers) of every kernel; names are mangled."""
    kernels = []
    for report in reports:
        with open(report, encoding='utf-8') as f:
            text = f.read()
        for part in re.split(r'Compiling entry function ', text)[1:]:
            name, architecture = re.match(r"'(\w+)' for 'sm_(\w+)'", part).groups()
            stack, stores, loads = map(int, re.search(
                r'(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads', part).groups())
            registers = int(re.search(r'Used (\d+) registers', part).group(1))
            kernels.append((name, architecture, stack, stores + loads, registers))
    return kernels


def check_kernels(self):
    kernels = read_kernels(self['reports'])
    bad = [f'{name} for sm_{architecture}: {spilled} bytes spilled, {stack} bytes of stack, {registers} registers'
           for name, architecture, stack, spilled, registers in kernels
           if spilled or (stack and name not in ALLOWED_STACK)]
    missing = [f'no kernel for sm_{architecture} in {os.path.basename(report)}'
               for report in self['reports'] for architecture in self['architectures']
               if not any(kernel[1] == architecture for kernel in read_kernels([report]))]
    if not kernels:
        missing.append('the reports name no kernel')
    return bad + missing


def check_symbols(self):
    symbols = [line.split()[-1] for line in run('nm', '-D', '--defined-only', self['module']).splitlines()]
    wanted = ' '.join(ENTRIES)
    return [] if sorted(symbols) == ENTRIES else [f'visible are {" ".join(symbols)}, wanted are {wanted} alone']


def check_libraries(self):
    needed = re.findall(r'\(NEEDED\).*\[(.*)\]', run('readelf', '-d', self['module']))
    bad = [name for name in needed if re.match(r'lib(cuda|cudart|nv|stdc)', name)]
    return [f'the module cannot be loaded without {name}' for name in bad] + ([] if needed else ['no library at all'])


def check_abi(self):
    with open(self['header'], encoding='utf-8') as f:
        wanted = int(re.search(r'#define PRISM_BACKEND_ABI (\d+)', f.read()).group(1))
    entry = getattr(ctypes.CDLL(self['module']), ENTRY)
    entry.restype = ctypes.POINTER(ctypes.c_uint)
    found = entry()[0]
    return [] if found == wanted else [f'the module has interface {found}, the engine {wanted}']


def read_code(module):
    """(kind, architecture) of every piece of device code: kind 1 is PTX, 2 machine code."""
    section = re.search(r'\.nv_fatbin\s+PROGBITS\s+\w+\s+(\w+)\s+(\w+)', run('readelf', '-SW', module))
    offset, size = (int(number, 16) for number in section.groups())
    with open(module, 'rb') as f:
        f.seek(offset)
        data = f.read(size)
    pieces = set()
    position = 0
    while (position := data.find(struct.pack('<I', FATBIN_MAGIC), position)) >= 0:
        _, _, head, length = struct.unpack_from('<IHHQ', data, position)
        entry, end = position + head, position + head + length
        while entry < end:
            kind, _, head, length = struct.unpack_from('<HHIQ', data, entry)
            pieces.add((kind, str(struct.unpack_from('<I', data, entry + 28)[0])))
            entry += head + length
        position = end
    return pieces


def check_architectures(self):
    pieces = read_code(self['module'])
    missing = [f'no code for sm_{name}' for name in self['architectures'] if (2, name) not in pieces]
    wanted = ([name for name in self['architectures'] if int(name) <= 90] or self['architectures'])[-1]
    return missing + ([] if (1, wanted) in pieces else [f'no PTX of {wanted} for all other devices'])


def check_reason(self):
    """Without a driver the program says why it computes on the CPU."""
    environment = {**os.environ, 'PRISM_MODULE_DIR': os.path.dirname(self['module'])}
    text = run(self['cli'], 'info', env=environment)
    if os.path.exists('/proc/driver/nvidia/version'):
        return []
    return [] if re.search(r'Running on the CPU: .*driver', text) else [f'prism-cli info says: {text}']


CHECKS = [
    ('no-spills', check_kernels),
    ('one-symbol', check_symbols),
    ('no-libraries', check_libraries),
    ('abi', check_abi),
    ('architectures', check_architectures),
    ('reason-without-driver', check_reason),
]


def main(arguments):
    module, header, cli, architectures, *reports = arguments
    self = {'module': os.path.abspath(module), 'header': header, 'cli': os.path.abspath(cli),
            'architectures': architectures.split(','), 'reports': reports}
    failed = False
    print(f'1..{len(CHECKS)}')
    for number, (name, check) in enumerate(CHECKS, 1):
        try:
            failures = check(self)
        except (OSError, subprocess.CalledProcessError, AttributeError) as reason:
            failures = [str(reason)]
        failed |= bool(failures)
        print(f"{'not ok' if failures else 'ok'} {number} /cuda/module/{name}")
        for failure in failures:
            print(f'# {failure}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
