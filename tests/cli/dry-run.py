#!/usr/bin/env python3
"""prism-cli run --dry-run, with a cache of its own."""
import os
import tempfile

from command import has, main, refuses, test, works, write

SIZES = '--set image_size=64 --set object_size=32 --set samples=20 --set aperture_radius=10 --set backend=cpu'


@test('dry-run/people')
def check_people():
    """What is printed is the whole configuration, and a file of it makes the same run."""
    result = works(f'run --dry-run {SIZES} --set threads=1')
    assert result.err == 'prism-cli: Timing this machine for runs of this shape, once.\n', result.err
    result.has('# Positions  20 frames of 64×64 px\n', '# Memory     ', '# Time       ≈ ')
    assert not os.listdir(result.folder)
    again = works('run --dry-run --config', [write(result.out, result.folder, 'printed.prism')])
    settings = [[line for line in text.split('\n') if not line.startswith('#')] for text in (result.out, again.out)]
    assert settings[0] == settings[1]
    has(result.out, *(f'\n{word}\n' for word in f'{SIZES} threads=1'.split() if word.count('=')))


@test('dry-run/json')
def check_json():
    """The second time nothing is timed."""
    for steps in (60, 70):
        result = works(f'run --dry-run --set steps={steps} --set image_size=64 --set object_size=30 --set samples=20 '
                       '--set aperture_radius=10 --set backend=cpu --json')
        assert result.err == '', result.err
        result.json('samples = 20', 'run_bytes > 0', 'seconds_least > 0', 'seconds_needed > seconds_spared',
                    'seconds_as_set = null', 'config', 'seconds_longest = seconds_needed')


@test('dry-run/refusals')
def check_refusals():
    """It refuses what the run would refuse."""
    refuses(2, 'object_size is 500 px', 'run --dry-run --set object_size=500 --set image_size=256')
    refuses(2, 'photons is 1e-300: with less than one photon', 'run --dry-run --set photons=1e-300')
    refuses(4, 'This run needs', 'run --dry-run --set image_size=4096 --set samples=100000 --set frames=full')
    refuses(3, 'gone.png', 'run --dry-run --set object=gone.png')


with tempfile.TemporaryDirectory(prefix='prism-cache-') as cache:
    os.environ['XDG_CACHE_HOME'] = cache
    main()
