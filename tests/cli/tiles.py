#!/usr/bin/env python3
"""prism-cli tiles. PRISM_TEST_LONG=1 kills five hundred times."""
import math
import os
import random
import shutil
import struct
import time

from command import (LONG, check_json, has, kill_after, main, number, place, refuses, run, same, save_npy, start,
                     test, works, write)

KILLS = 500 if LONG else 12
HEIGHT, WIDTH, N_TILES = 70, 90, 12
TILES = '--set tile=32 --set image_size=64 --set object_size=32 --set aperture_radius=8'
RUN = f'{TILES} --set samples=8 --set steps=6 --set start_steps=4 --set polish=100 --output'


def make_object():
    """Words of a command."""
    rows = [[0.5 + 0.3 * math.sin(0.21 * x) * math.cos(0.13 * y) + (0.15 if (x // 8 + y // 8) % 2 else 0)
             for x in range(WIDTH)] for y in range(HEIGHT)]
    return ['--set', 'object=' + save_npy(rows, place(), 'scene.npy')]


def read_tag(tiff, wanted):
    """A whole number of a little-endian TIFF."""
    at = struct.unpack('<I', tiff[4:8])[0]
    for i in range(struct.unpack('<H', tiff[at:at + 2])[0]):
        tag, kind, _, value = struct.unpack('<HHII', tiff[at + 2 + 12 * i:at + 14 + 12 * i])
        if tag == wanted:
            return value & 0xffff if kind == 3 else value
    raise KeyError(wanted)


def check_whole(command):
    """The picture, the maps and the numbers are there, by “run” as by “tiles”."""
    result = works(command, make_object(), RUN, 'out')
    has(result.out + result.err, 'at a time, ', '12 of 12 tiles have a result')
    picture = result.bytes('out/picture.tif')
    assert picture[:2] == b'II' and (read_tag(picture, 256), read_tag(picture, 257)) == (WIDTH, HEIGHT)
    summary = result.file('out/summary.json')
    check_json(summary, 'state = finished', f'tiles = {N_TILES}', 'psnr > 40')
    # What is put together is no worse than what it is made of: tiles differ by 4 dB here, and the whole has their
    # mean error.
    assert number(summary, 'psnr') > number(summary, 'median_psnr_of_tiles') - 1.5
    has(result.file('out/tiles.csv'), '\n11,2,3,38,58,finished,')
    has(result.file('out/report.html'), 'Misfit')


def check_dry_run(command):
    """Says what would be run, by “run” as by “tiles”, and leaves no trace."""
    result = works(command, '--dry-run', make_object(), TILES)
    has(result.err, 'Timing a tile of 32 px in a field of ', '90 × 70 px: 12 tiles of 32 px')
    assert not os.listdir(result.folder)


for one in ('tiles', 'run'):
    test(f'tiles/whole/{one}')(lambda command=one: check_whole(command))
    test(f'tiles/dry-run/{one}')(lambda command=one: check_dry_run(command))


@test('tiles/kills')
def check_kills():
    """Whatever moment it is killed at, up to a third of a whole run, the same command ends with the same bits. Some
    tiles are finished by then, at times all."""
    words = ('tiles', make_object(), RUN)
    folder, late, begun = place(), 0, time.monotonic()
    works(*words, 'whole', folder=folder)
    most = max((time.monotonic() - begun) / 3, 0.12)
    for _ in range(KILLS):
        if kill_after(0.06, most, start(*words, 'killed', folder=folder)):
            # There must be something left to kill.
            late += 1
            for tile in range(N_TILES):
                if random.random() < 0.5:
                    shutil.rmtree(os.path.join(folder, 'killed', f'tile-{tile:06}'), ignore_errors=True)
    print(f'# {KILLS} kills, {late} came too late')
    works(*words, 'killed', folder=folder)
    same(folder, 'whole/picture.tif', folder, 'killed/picture.tif')


@test('tiles/failed')
def check_failed():
    """A tile that cannot be computed does not keep the others; it is repeated with the next start."""
    words = ('tiles', make_object(), RUN, 'out')
    folder = works(*words).folder
    obstacle = os.path.join(folder, 'out', 'tile-000005')
    shutil.rmtree(obstacle)
    write('in the way', obstacle)
    failed = run(*words, folder=folder)
    assert failed.code == 1
    has(failed.out + failed.err, '11 of 12 tiles have a result', 'tile 5, row 2, column 2: ', 'Tile 5 is missing')
    os.unlink(obstacle)
    again = works(*words, folder=folder)
    has(again.out + again.err, '12 of 12 tiles have a result')


@test('tiles/dry-run/json')
def check_dry_json():
    """For programs, and with a tile that is larger than the picture."""
    picture = make_object()
    works('run --dry-run --json', picture, TILES).json(
        f'tiles = {N_TILES}', f'tiles_left = {N_TILES}', 'tiles_dark = 0', f'width = {WIDTH}', 'run_bytes > 0', 'jobs > 0')
    has(run('tiles --dry-run', picture, TILES, '--set tile=512').err, 'smaller than a tile of 512 px',
        '90 × 70 px: 1 tile of 90 px, 1 row and 1 column,')


@test('tiles/refused')
def check_refused():
    picture = make_object()
    refuses(2, 'from a picture in a file', 'tiles --set object=moon --set tile=64')
    refuses(2, 'even number', 'tiles', picture, '--set tile=33')
    refuses(2, 'tile cannot be', 'tiles', picture, '--set tile=many')
    refuses(2, 'tile_overlap cannot be', 'tiles', picture, '--set tile_overlap=80')
    refuses(3, 'cannot be opened', 'tiles --set object=nowhere.tif --set tile=64')
    refuses(2, 'end it in', 'tiles', picture, '--result a.jpg')
    refuses(3, 'has no tiles', 'tiles --merge --output nowhere')


main()
