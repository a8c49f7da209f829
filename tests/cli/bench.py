#!/usr/bin/env python3
"""prism-cli bench, of steps."""
from command import clean, lacks, main, refuses, test, works

TINY = '--set image_size=64 --set object_size=16 --set aperture_radius=8 --set samples=10'
TIMES = ('best_step_ms > 0', 'median_step_ms >= best_step_ms', 'parts > 0', 'versions')


@test('bench/json')
def check_json():
    bench = f'bench --json {TINY} --set replay=3 --steps 5 --warm-up 1 --threads 1 --memory'
    clean(bench, 'replay').json(*TIMES, 'terms = 3', 'coverage_discs = 5', 'steps = 5', 'config.threads = 1')
    clean(bench, 'self').json(*TIMES, 'terms = 2')


@test('bench/standard')
def check_standard_workload():
    """The number that every other implementation of this decoder has."""
    works('bench --json --preset standard --steps 2 --warm-up 0').json('parameters = 2797431')


@test('bench/against')
def check_ratio():
    """What was computed in is the precision, not what was asked for: the advice says so."""
    clean(f'bench --json {TINY} --backend cpu --precision tf32 --steps 5 --warm-up 1 --threads 1 --against amp=off '
          '--against replay=2').json(*TIMES, 'precision = fp32', 'precision_advice', '!against.precision_advice',
                                     'against.precision = fp32', 'against.terms = 2', 'ratio > 0', 'counters.steps = 5')


@test('bench/precision')
def check_precision():
    """The CPU has no other precision, and what is printed says so."""
    result = works('bench --set image_size=64 --set object_size=16 --set aperture_radius=8 --backend cpu '
                   '--precision bf16 --steps 1 --warm-up 0').has(' parameters, fp32\nMixed precision needs ')
    lacks(result.out, 'bf16')


@test('bench/bad-usage')
def check_bad_usage():
    refuses(2, '--discs', 'bench --discs 100')
    refuses(2, 'replay, self, all', 'bench --memory none')
    refuses(2, 'ten', 'bench --steps ten')
    refuses(2, 'fp16', 'bench --precision fp8')
    refuses(2, 'KEY=VALUE', 'bench --against amp --steps 1')


main()
