#!/usr/bin/env python3
"""prism-cli pattern."""
import struct

from command import check_json, clean, has, main, number, refuses, run, test, there, works, write


@test('pattern/text')
def check_text():
    works('pattern --preset quick-look').has('Positions', 'Coverage', 'Overlap', 'Seen twice', 'Nearest neighbour', 'Path')


@test('pattern/json')
def check_numbers():
    """Three apertures that share nothing: every number by hand."""
    works('pattern --json --set image_size=256 --set object_size=64 --set aperture_radius=10 --set pattern=hand '
          "--set 'pattern_points=0, 0; 0, 60; 30, 60'").json(
              'positions = 3', 'spacing_mean = 40', 'spacing_min = 30', 'path_length = 90', 'twice = 0', 'redundancy = 1')


@test('pattern/orders')
def check_orders():
    """The path follows the order: by radius it is another one than as given, shuffled the longest."""
    given, radius, shuffled = (number(run(f'pattern --json --set pattern=raster --set order={order}').out, 'path_length')
                               for order in ('given', 'radius', 'random'))
    assert given < radius and given < shuffled and radius != shuffled


@test('pattern/csv')
def check_positions_come_back():
    """What --csv writes, pattern=file reads: the same numbers come out."""
    written = works('pattern --json --csv points.csv --set pattern=logarithmic')
    again = works('pattern --json --set pattern=file --set', ['pattern_file=' + written.path('points.csv')])
    for name in ('coverage', 'spacing_mean', 'path_length'):
        assert number(written.out, name) == number(again.out, name)


@test('pattern/gallery')
def check_gallery():
    png = works('pattern --gallery all.png').bytes('all.png')
    assert png[12:16] == b'IHDR' and struct.unpack('>I', png[16:20])[0] > 1000


@test('pattern/bad-usage')
def check_bad_usage():
    refuses(2, '.png', 'pattern --gallery all.jpg')
    refuses(3, '/no/such.csv', 'pattern --set pattern=file --set pattern_file=/no/such.csv')
    refuses(3, '/no/such', 'pattern --csv /no/such/points.csv')
    refuses(3, '“-” is not the standard output here', 'pattern --csv -')
    refuses(2, '“more”', 'pattern more')


@test('pattern/command')
def check_command():
    """Positions that a program prints, which is told how large the field is; nothing of one that fails, prints no
    positions, or stands in a file."""
    result = clean('pattern --json --set', ["pattern_command=sh -c 'echo 0,0; echo 3,$((PRISM_IMAGE_SIZE / 4))'"],
                   '--set image_size=256 --set object_size=64')
    check_json(result.out, 'positions = 2', 'path_length = 64.070 ± 0.001')
    for command, part in (('false', '“false” failed.'), ('not-there 1', '“not-there 1” cannot be started'),
                          ('echo 1,2,x', 'what “echo 1,2,x” printed, line 1: '), ('yes', 'printed more than 8 MiB')):
        refused = run('pattern --set', ['pattern_command=' + command])
        assert refused.code != 0
        has(refused.err, part)
    path = write('[prism]\npattern_command=touch ran\n', result.folder, 'stranger.prism')
    refused = run('pattern --config', [path])
    refused.check_error(2, 'line 2: “pattern_command” stands on the command line')
    assert not there(refused.folder, 'ran')


main()
