#!/usr/bin/env python3
"""The program from end to end with the emulated GPU as its module, and with one that fails: environment and exit
status are all that these tests share with it."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from command import has, main, make_frames, refuses, run, test, works  # pylint: disable=wrong-import-position

TINY = ('--set image_size=64 --set object_size=16 --set aperture_radius=12 --set samples=4 --set steps=4 '
        '--set start_steps=4 --set polish=2 --set threads=1')
EXACT = 100.0  # dB
FAULTS = {'illegal-address:40': 'an illegal memory access', 'illegal-address:400': 'an illegal memory access',
          'launch-failure:500': 'unspecified launch failure', 'lost:10': 'stopped answering',
          'hang:450': 'did not answer in time', 'allocation:12+': 'Not enough GPU memory'}
AVOIDED = {'no-device': 'No NVIDIA GPU was found', 'no-driver': 'Running on the CPU: ',
           'old-driver': 'Running on the CPU: ', 'illegal-address:20': 'an illegal memory access',
           'memory:100000': 'Not enough GPU memory'}


def summarize(command, fault=''):
    """Runs it on a GPU with that fault. Returns the summary, and what was said of it."""
    result = works(f'PRISM_EMULATION_FAULT={fault} PRISM_CUDA_WAIT=1', command, '--quiet --output a')
    return json.loads(result.file('a/summary.json')), result.err


def run_tiny(method, backend, fault=''):
    return summarize(f'run {TINY} --set backend={backend} --set method={method}', fault)


def psnr(summary):
    return summary['final']['psnr']


@test('run/gpu')
def check_gpu():
    """A graph per step, more for passes, and no more uploads of steps than downloads of results."""
    summary, said = run_tiny('decoder', 'cuda')
    counters = summary['counters']
    assert said == '' and summary['backend'] == 'cuda'
    assert counters['graph_launches'] >= counters['steps'] and counters['graph_captures'] < counters['graph_launches']
    assert counters['to_device']['steps']['transfers'] == counters['to_host']['steps']['transfers']
    assert counters['to_host']['measurements']['transfers'] > 0


@test('run/cpu-agrees')
def check_cpu_agrees():
    """Decoder and telescope of both devices agree to rounding, so short runs end alike. What an exact image differs by
    beyond EXACT dB is rounding alone."""
    for method in ('decoder', 'auto'):
        expected, found = (psnr(run_tiny(method, backend)[0]) for backend in ('cpu', 'cuda'))
        assert abs(min(found, EXACT) - min(expected, EXACT)) < 0.5, (method, found, expected)


@test('run/faults')
def check_faults():
    expected = psnr(run_tiny('decoder', 'cpu')[0])
    for fault, words in FAULTS.items():
        summary, said = run_tiny('decoder', 'cuda', fault)
        assert summary['backend'] == 'cpu', fault
        has(summary['message'], words, 'The run goes on on the CPU from ')
        has(said, summary['message'])
        assert psnr(summary) > expected - 3, fault


@test('run/search')
def check_search():
    """Apertures leave gaps. Waves and phases are searched on the GPU, some passes at a time, and on the CPU from where a
    GPU was lost."""
    apart = f'run {TINY} --set aperture_radius=4 --set samples=6 --set polish=4 --set backend='
    expected, _ = summarize(apart + 'cpu')
    found, said = summarize(apart + 'cuda')
    left, lost = summarize(apart + 'cuda', 'illegal-address:3500')
    assert said == '' and found['backend'] == 'cuda' and found['verdict']['kind'] == 'explained'
    assert abs(psnr(found) - psnr(expected)) < 0.5
    assert 2 * found['steps'] < expected['steps']
    assert left['backend'] == 'cpu' and abs(psnr(left) - psnr(expected)) < 0.5
    has(lost, 'while phases were being searched')


@test('run/beside')
def check_beside():
    """Several at a time in one process have the bits of each alone, also where the device had too little memory for so
    many."""
    tiny = f'{TINY} --set backend=cuda --set method=decoder --output a'
    alone = [works(f'run {tiny} --quiet --set training_seed={seed}').bytes('a/reconstruction.npy') for seed in range(3)]
    for fault in ('', 'allocation:20+'):
        result = works(f'PRISM_EMULATION_FAULT={fault} PRISM_CUDA_WAIT=30 sweep {tiny} --over training_seed=0,1,2 --jobs 3')
        has(result.err, '3 at a time, ')
        assert ('too little memory: 1 at a time' in result.err) == (fault != '')
        assert [result.bytes(f'a/point-{seed:04}/reconstruction.npy') for seed in range(3)] == alone


@test('run/automatic')
def check_automatic():
    """By itself the program leaves alone what fails in the self-test or has no room."""
    for fault, words in AVOIDED.items():
        summary, _ = run_tiny('decoder', 'auto', fault)
        assert summary['backend'] == 'cpu', fault
        has(summary['device_reason'], words)


@test('run/insisting')
def check_insisting():
    """Who insists on the GPU is told why it cannot be."""
    refuses(4, 'or run on the CPU.', f'PRISM_EMULATION_FAULT=memory:100000 run {TINY} --set backend=cuda')
    refuses(5, 'No NVIDIA GPU was found', f'PRISM_EMULATION_FAULT=no-device run {TINY} --set backend=cuda')


@test('run/recorded')
def check_recorded():
    """The GPU takes them where there is one; the CPU does, and says why, where there is none or where it fails; who
    insists on one that is not there gets no result."""
    command = f'run --measurements {make_frames(32, 5, "cells.npz")} --set passes=1 --set pupil=flat --set '
    for method, backend, fault, device, words in (
            ('sequential', 'cuda', '', 'Emulated GPU', 'Running on the GPU, as set.'),
            ('descent', 'cuda', '', 'Emulated GPU', 'as set.'),
            ('descent', 'cuda', 'illegal-address:40', 'CPU', 'an illegal memory access'),
            ('sequential', 'auto', '', 'Emulated GPU', 'Running on the GPU.'),
            ('sequential', 'auto', 'no-device', 'CPU', 'No NVIDIA GPU was found'),
            ('sequential', 'cuda', 'illegal-address:40', 'CPU', 'an illegal memory access')):
        summary, _ = summarize(f'{command}backend={backend} --set method={method}', fault)
        has(summary['device'], device)
        has(summary['device_reason'], words)
    refuses(5, 'No NVIDIA GPU was found',
            f'PRISM_EMULATION_FAULT=no-device {command}backend=cuda --set method=sequential --output a')


@test('run/info')
def check_info():
    works('info --json').json('cuda has Emulated GPU', 'self_test = passed', 'default = Running on the GPU.')
    run('PRISM_EMULATION_FAULT=no-device info').has('No NVIDIA GPU was found', 'of other makers are not used.')


@test('run/bench')
def check_bench():
    """Graphs are counted; fewer steps than a chunk has, and more than one that is not a whole number of them."""
    small = 'bench --json --backend cuda --set image_size=64 --set object_size=16 --set aperture_radius=8 --set samples=10 '
    works(small + '--precision bf16 --steps 4 --warm-up 0').json(
        'precision = bf16', 'counters.graph_launches = counters.steps')
    for steps in (8, 37):
        works(f'{small}--steps {steps} --warm-up 3').json(f'counters.steps = {steps}')
    works('bench --passes --json --backend cuda', TINY).json('device has Emulated GPU', 'passes_per_second > 0')


@test('run/sweep')
def check_sweep():
    """Two contexts and two small runs, and not a third."""
    has(works(f'PRISM_EMULATION_FAULT=memory:636000000 sweep {TINY} --set backend=cuda --over seed=1,2,3 --jobs 3 '
              '--output sweep').err, '3 runs, 2 at a time')


@test('run/bench-transfers')
def check_bench_transfers():
    """All sizes and kinds; a GPU without the memory for a copy says so."""
    sizes = json.loads(works('bench --transfers --json --backend cuda').out)['transfers']
    assert [size['bytes'] for size in sizes] == [1 << (20 + 2 * i) for i in range(5)]
    for size in sizes:
        assert size['upload_pinned_bytes_per_second'] > 0 and size['download_pageable_bytes_per_second'] > 0
    refuses(4, 'memory on the GPU for copies of 64.0',
            'PRISM_EMULATION_FAULT=memory:1000000 bench --transfers --mib 64 --backend cuda')


main('/cuda')
