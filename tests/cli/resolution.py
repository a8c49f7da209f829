#!/usr/bin/env python3
"""prism-cli resolution, and what later commands make of its folder."""
import os
import re

from command import check_json, clean, has, main, make_frames, number, place, read, refuses, test, there, works

MARKS = '"ellipse 90 90 130 120; ruler 10 10 40 50; line 20 60 80 60"'


def explain():
    """The folder of a result, as a word of commands."""
    made = works('run --output result --set hold_out=10 --quiet --measurements', [make_frames(64, 9)])
    return [made.path('result')]


def find_number(text, beginning):
    return float(re.search(beginning + r'\D*?(−?-?[\d.]+)', text).group(1).replace('−', '-'))


@test('rerun/resolution')
def check_resolution():
    """Beside all that the summary says, it says what two halves of the frames agree on."""
    result = explain()
    clean('resolution', result)
    text = read(*result, 'summary.json').decode()
    nm, limit, error = (number(text, f'resolution.{name}') for name in ('nm', 'limit_nm', 'error_nm'))
    print(f'# {nm:.0f} ± {error:.0f} nm of {limit:.0f} nm')
    assert 0 < error < 0.2 * nm and 0.9 * limit < nm < 3 * limit
    check_json(text, 'held_out')
    assert there(*result, 'halves.csv')
    page = works('report --html r.html', result).file('r.html')
    assert re.search('<th>Finest period</th><td>[\\d.]+ ± [\\d.]+ µm by two halves of the frames', page)
    table = works('compare', result).has('Finest period allowed, nm')
    assert re.search('Finest period, nm +\\d+ .+ \\d+\n', table.out)
    refuses(3, 'result.h5', 'resolution', [place()])


@test('rerun/marks')
def check_marks():
    """An area has a path and, by it, a mass; a ruler is off by its pixels; bars have an element. Half of the refractive
    increment makes twice the mass."""
    result = explain()
    whole = works('resolution', result, '--marks', MARKS).has('; USAF group ')
    half = works('resolution', result, '--increment 0.09 --marks', MARKS)
    one, twice = (find_number(told.out, 'dry mass ') for told in (whole, half))
    assert abs(twice - 2 * one) < 0.002 * abs(twice)
    text = read(*result, 'summary.json').decode()
    has(read(*result, 'marks.csv').decode(), '\n3,line,20,60,80,60,')
    pixel = number(text, 'object.pixel_um')
    check_json(text, 'marks.0.path_nm_error > 0', 'marks.0.path_nm_error < 5', '!marks.0.length_um',
               f'marks.1.length_um = {50 * pixel} ± 1e-6', f'marks.1.length_um_error = {0.40825 * pixel} ± 1e-4')
    page = works('report --html r.html', result).file('r.html')
    assert re.search('dry mass −?[\\d.]+ ± [\\d.]+ pg<', page)
    has(page, '± from two halves of the frames: one standard error')
    for part, marks in (('blob', 'blob 1 2 3 4'), ('--marks has no mark', ''),
                        ('cannot be measured', 'ruler -1000 0 5000 0')):
        refuses(2, part, 'resolution', result, '--marks', [marks])


@test('rerun/bars')
def check_bars():
    """Simulated bars, upright in the left half of the field, have 12.5 periods a side in their second row: 105.9 pairs a
    mm here, which is element 5 of group 6."""
    frames = works('simulate --set size=64 --set specimen=1 --set per_side=9 --set pitch=3e-3 bars.hdf5').path('bars.hdf5')
    made = works('run --output result --set upsampling=3 --quiet --measurements', [frames])
    told = works('resolution', [made.path('result')], "--marks 'line 15 58 84 58 3'")
    assert re.search('USAF group 6, element (4[.][5-9]|5[.][0-4])', told.out), told.out
    text = made.file('result/summary.json')
    pairs, error = number(text, 'marks.0.line_pairs_per_mm'), number(text, 'marks.0.line_pairs_per_mm_error')
    print(f'# {pairs:.2f} ± {error:.2f}')
    assert abs(pairs - 1e3 / (0.08 * 64 * 1.845)) < 3 * error and error < 0.02 * pairs


@test('rerun/resolution-of-tiles')
def check_resolution_of_tiles():
    """Beyond what the light carries both halves of a tile keep what they began with. A mark is read on the field, with ±
    of the tile that it lies in."""
    made = works('run --output tiled --set tile=48 --set passes=3 --quiet --measurements', [make_frames(96, 7)])
    result = [made.path('tiled')]
    works('resolution', result)
    works('resolution', result, "--marks 'ellipse 20 20 60 50; ellipse 230 240 270 280'")
    refuses(2, 'explained together', 'resolution', result, "--marks 'ruler 0 0 280 0'")
    text = made.file('tiled/summary.json')
    for mark in ('marks.0', 'marks.1'):
        check_json(text, f'{mark}.path_nm_error > 0')
        assert number(text, f'{mark}.amplitude_error') < 0.1 * number(text, f'{mark}.amplitude')
    assert number(text, 'resolution.nm') > 0.9 * number(text, 'resolution.limit_nm')


@test('rerun/links')
def check_links():
    """A link that lies under a name of the program's is replaced, and what it leads to stays."""
    result = explain()
    before = read(*result, 'result.h5')
    for name in ('halves.csv', 'marks.csv', 'refocus.ome.tif'):
        os.symlink('result.h5', os.path.join(*result, name))
    works('resolution', result, "--marks 'ruler 1 1 9 9'")
    works('refocus --steps 2', result)
    assert read(*result, 'result.h5') == before


@test('rerun/refused')
def check_refused():
    refuses(2, 'result.h5 is expected here', 'rerun')
    refuses(3, 'nothing.h5', 'rerun nothing.h5')


main()
