#!/usr/bin/env python3
"""prism-cli bench --report, of whole runs."""
import json
import os
import signal
import subprocess

from command import check_json, has, main, place, refuses, run, start, test, there, wait_for_line, works, write

TINY = ('--set image_size=64 --set object_size=16 --set aperture_radius=6 --set samples=6 --set steps=5 '
        '--set start_steps=5 --set polish=20 --set backend=cpu --set threads=1')
FIGURES = ('seconds > 0', 'steps_per_second > 0', 'passes_per_second > 0', 'peak_bytes > 1048576', 'psnr > 0',
           'hit_rate > 0', 'processor_seconds > 0', 'ssim > 0', 'mse > 0', 'step_seconds > 0', 'samples_per_second > 0')
FILES = (('json', b'{', b'"left_out" : {\n    "graph"'), ('txt', '“Moon”'.encode(), b'(graph). Steps are captured'),
         ('html', b'<!DOCTYPE html>', b'image/svg+xml'), ('pdf', b'%PDF-', b'obj'))


def run_benchmark(*words):
    return run(f'XDG_DATA_HOME=data bench --report out/deep --rounds 2 --switch cache --switch graph {TINY}', *words)


def write_other(made, factor):
    """Of a machine that is so many times slower, of all stages in its measurements alone. Returns the path."""
    root = json.loads(made.file('out/deep/comparison.json'))
    for one in (one for variant in root['variants'] for one in variant['runs']):
        for name, value in one.items():
            if name.endswith('seconds') or name.endswith('per_second'):
                one[name] = value / factor if name.endswith('per_second') else value * factor
        for name, value in one['stages'].items():
            one['stages'][name] = value * factor if name == 'measure' else value / factor
    return write(json.dumps(root), made.folder, f'other-{factor}')


@test('benchmark/baseline')
def check_baseline():
    """Held against what a machine took that is slower, and one that is faster, it finds the slow stage."""
    plain = run_benchmark()
    assert plain.code == 0
    has(plain.err, 'Run 6 of 6: ')
    plain.has('Left out: Captured steps (graph).')
    for ending, beginning, part in FILES:
        plain.begins(f'out/deep/comparison.{ending}', beginning)
        assert part in plain.bytes(f'out/deep/comparison.{ending}'), ending
    check_json(plain.file('out/deep/comparison.json'), 'variants = 3',
               *(f'variants.{i}.runs = 2' for i in range(3)),
               *(f'variants.{i}.runs.{k}.{figure}' for i in range(3) for k in range(2) for figure in FIGURES))
    faster = run_benchmark('--baseline', [write_other(plain, 1e3)])
    assert faster.code == 0
    faster.has('Nothing is slower than the baseline.')
    slower = run_benchmark('--baseline', [write_other(plain, 1e-3)])
    assert slower.code == 6
    slower.has('Slower: Plain (plain), ', 'What became slower most is measure, by ')


@test('benchmark/history')
def check_history():
    made = run_benchmark()
    works([f'XDG_DATA_HOME={made.path("data")}'], 'bench --history').has(
        '“Moon”, 16 px in a field of 64 px, 6 positions, 2 rounds')
    assert works('XDG_DATA_HOME=nowhere bench --history').out.startswith('No benchmark has been made here')
    folder = made.path('other', 'prism-studio', 'benchmarks')
    os.makedirs(folder)
    damaged = write('{}', folder, '2026-01-01T00-00-50Z.json')
    bad = run([f'XDG_DATA_HOME={made.path("other")}'], 'bench --history')
    bad.check_error(3, damaged)
    assert bad.out == ''


@test('benchmark/interrupt')
def check_interrupt():
    """Ended while its first run, which is too long for any patience, is under way, it leaves nothing."""
    folder = place()
    process = start([f'XDG_DATA_HOME={folder}'], 'bench --report out --switch cache --preset production', folder=folder,
                    stderr=subprocess.PIPE)
    assert wait_for_line(process.stderr) == 'Run 1 of 9: Plain'
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130 and not there(folder, 'out')


@test('benchmark/bad-usage')
def check_bad_usage():
    for code, part, words in ((2, '--report DIR', '--rounds 3'), (2, 'number from 2 to 50', '--report out --rounds 1'),
                              (2, 'number from 2 to 50', '--report out --rounds 0'),
                              (2, 'cache, frames, threads', '--report out --switch turbo'),
                              (2, 'single step', '--report out --steps 5'), (3, 'none', '--report out --baseline none'),
                              (3, 'is no benchmark', '--report out --baseline "$PAGE"')):
        refuses(code, part, 'XDG_DATA_HOME=data bench', words.replace('$PAGE', os.environ['PRISM_PARAMETERS_PAGE']))


main()
