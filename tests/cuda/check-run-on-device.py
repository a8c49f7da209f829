#!/usr/bin/env python3
"""Rehearses run-on-device.sh on the emulated GPU, as TAP: it passes where there is one, and only there.

usage: check-run-on-device.py SCRIPT BUILD
"""
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile

# What the script must not hide from the programs: here the emulation plays the driver's library.
DRIVER = 'libprism-emulation.so'

# One of each kind: the other sanitizers and sizes differ in a name.
STEPS = ('info', 'parity', 'golden', 'memory', 'identical', 'memcheck', 'passes', 'frames',
         'transfers', 'bench-512')

TESTS = ('test-cuda-device-64', 'test-cuda-device-recorded')


def run(script, *steps, folder, **environment):
    """(exit status, output, log.txt) of some steps."""
    out = tempfile.mkdtemp(dir=folder)
    result = subprocess.run(['sh', script, 'run', '--rehearse', *steps], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, 'PYTHON': sys.executable, 'OUT': out, **environment})
    with open(os.path.join(out, 'log.txt'), encoding='utf-8') as f:
        log = f.read()
    return result.returncode, result.stdout, log


def check_passes(self):
    driver = os.path.join(self['folder'], 'driver')
    os.mkdir(driver)
    os.rename(os.path.join(self['folder'], 'device', 'lib', DRIVER), os.path.join(driver, DRIVER))
    status, output, log = run(self['script'], *STEPS, folder=self['folder'], LD_LIBRARY_PATH=driver)
    wanted = ('/cuda/backend/twin/descent', '/cuda/recorded/parity/border', '/cuda/recorded/training', '/cuda/recorded/all-visits', '\n0 failed', '/cuda/backend/long-run',
              'steps of training: 5 arrays, the same bits', 'without compute-sanitizer', '/cuda/backend/captured-once',
              '/cuda/backend/descent-stays', '/cuda/backend/frame',
              'passes/s', 'descent pixel_visits_per_second', 'Down, pageable', '| 64/32/6 | fp32 | ', 'failed: none')
    failures = [f'the output lacks “{text}”' for text in wanted if text not in output]
    if status != 0 or failures:
        failures += [f'exit status {status}', *output.splitlines()]
    return failures + ([] if log == output else ['log.txt is not what was shown'])


def check_fails(self):
    """A GPU that is not there is a failure of every step, not a test that was skipped."""
    status, output, _ = run(self['script'], *STEPS, folder=self['folder'],
                            LD_LIBRARY_PATH=os.path.join(self['folder'], 'driver'),
                            PRISM_EMULATION_FAULT='no-driver')
    failures = [] if status != 0 else ['exit status 0']
    failures += [f'{test} did not run after the one before it had failed' for test in TESTS
                 if f'bin/{test} --tap\n' not in output]
    if 'failed: ' + ' '.join(STEPS) not in output:
        failures += ['not every step failed', *output.splitlines()]
    return failures


def check_lost(self):
    """Nor may a step pass on the processor when the GPU fails on the way. Copies launch nothing."""
    steps = [step for step in STEPS if step != 'transfers']
    status, output, _ = run(self['script'], *steps, folder=self['folder'],
                            LD_LIBRARY_PATH=os.path.join(self['folder'], 'driver'),
                            PRISM_EMULATION_FAULT='illegal-address:30')
    if status == 0 or 'failed: ' + ' '.join(steps) not in output:
        return [f'exit status {status}', 'not every step failed', *output.splitlines()]
    return []


def check_ends(self):
    """Programs end with the time there is, and what was not begun has failed."""
    failures = []
    for seconds, words in (('0', 'no time was left for it'), ('2', 'FAILED: memory (exit status ')):
        status, output, _ = run(self['script'], '--within', seconds, 'memory', folder=self['folder'],
                                LD_LIBRARY_PATH=os.path.join(self['folder'], 'driver'),
                                PRISM_EMULATION_FAULT='hang:1')
        if status == 0 or words not in output or 'failed: memory' not in output:
            failures += [f'within {seconds} s: exit status {status}', *output.splitlines()]
    return failures


def check_no_python(self):
    """What needs no Python does without."""
    status, output, _ = run(self['script'], 'info', folder=self['folder'], PYTHON='/nonexistent/python3',
                            LD_LIBRARY_PATH=os.path.join(self['folder'], 'driver'))
    if status != 0:
        return [f'exit status {status}', *output.splitlines()]
    return []


def check_steps(self):
    """Where there is no PyTorch its steps are left out: an array that verify insists on is found missing here."""
    sources = os.path.join(os.path.dirname(os.path.abspath(self['gather'])), '..')
    with zipfile.ZipFile(os.path.join(sources, 'data', 'small_same.npz')) as golden:
        names = {name.removesuffix('.npy').split('/')[0] for name in golden.namelist()}
    names = {'metric.' if name.startswith('metric.') else name for name in names}
    optional = {f'{kind}.{loss}' for kind in ('loss', 'grad') for loss in ('l2', 'ssim', 'ms-ssim')}
    with open(os.path.join(sources, 'bench', 'make_steps.py'), encoding='utf-8') as f:
        text = f.read()
    return [f'make_steps.py writes no {name}' for name in sorted(names - optional)
            if f'"{name}"' not in text and f'"{name}/' not in text]


def check_packed(self):
    """What travels is all there is in the folder."""
    device = os.path.join(self['folder'], 'device')
    with tarfile.open(device + '.tar.xz') as archive:
        packed = {member.name for member in archive if member.isfile()}
    there = {os.path.relpath(os.path.join(folder, name), self['folder'])
             for folder, _, names in os.walk(device) for name in names}
    return [f'{name} is not packed, or not there' for name in sorted(packed ^ there)]


def check_words(self):
    """What is missing is named."""
    failures = []
    for words, wanted in (((), 'BUILD'), (('build',), 'FOLDER')):
        result = subprocess.run(['sh', self['gather'], 'gather', *words], capture_output=True, text=True, check=False)
        if result.returncode == 0 or f'the {wanted} to gather' not in result.stderr:
            failures += [f'gather {" ".join(words)}: {result.stderr}']
    return failures


CHECKS = [
    ('what-is-missing', check_words),
    ('packed', check_packed),
    ('steps-are-complete', check_steps),
    ('with-a-gpu', check_passes),
    ('without-a-gpu', check_fails),
    ('gpu-that-fails', check_lost),
    ('time-that-ends', check_ends),
    ('without-python', check_no_python),
]


def main(arguments):
    gather, build = arguments
    failed = False
    print(f'1..{len(CHECKS)}', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['sh', gather, 'gather', '--rehearse', build, os.path.join(folder, 'device')], check=True,
                       stdout=subprocess.DEVNULL)
        self = {'folder': folder, 'gather': gather, 'script': os.path.join(folder, 'device', 'run-on-device.sh')}
        for number, (name, check) in enumerate(CHECKS, 1):
            failures = check(self)
            failed |= bool(failures)
            print(f"{'not ok' if failures else 'ok'} {number} /cuda/run-on-device/{name}", flush=True)
            for failure in failures:
                print(f'# {failure}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
