#!/usr/bin/env python3
"""No output of a command takes the place of what it reads; see test-options.c."""
import os

from command import has, main, make_frames, place, refuses, run, test, works, write

REFUSED = (
    'refocus result --output=result/amplitude.tif', 'report result --html=result/summary.json',
    'watch camera --save=camera/frame.tif', 'watch camera --output=camera', 'replay camera ./camera',
    'import camera --output=camera/frame.tif', 'run --measurements=camera --profile=camera/frame.tif',
    'run --measurements=prism-output --quiet', 'run --measurements=prism-output/result.h5 --quiet',
    'compare --run=result --csv=result/frames.csv', 'compare --config=data --run=./data --csv=data')
ALLOWED = (
    'run --positions=leds.csv --output=.', 'refocus result --output=result/refocus.ome.tif',
    'report result --html=result/report.html', 'compare --run=none --csv=new.csv --curves=/dev/null')


@test('options/folders')
def check_folders():
    """Where a folder is read, its own files stay; what a result is made of is known by its names. What is allowed fails
    later, for there is nothing in these files."""
    folder = place()
    for name, file in (('result', 'summary.json'), ('camera', 'frame.tif'), ('prism-output', 'result.h5')):
        os.mkdir(os.path.join(folder, name))
        write('{"seconds": 1}' if name == 'result' else 'what was there', folder, name, file)
    write('what was there', folder, 'data')
    for words in REFUSED + ALLOWED:
        told = run(words, folder=folder)
        assert told.code != 0 and (' would be ' in told.err) == (words in REFUSED), f'{words}: {told.err}'


@test('options/sources')
def check_sources():
    """What a run and a result were made from is read with them, whatever link leads there, and so is the result that a
    run begins with."""
    folder = works('simulate --set=size=32 --set=per_side=7 frames.npz').folder
    works('run --measurements=frames.npz --positions=frames.npz-leds.csv --set=passes=1 --save=a.prismrun --quiet',
          folder=folder)
    for link, target in (('link.html', 'frames.npz'), ('link.pdf', 'frames.npz'), ('link.tif', 'frames.npz'),
                         ('leds', 'frames.npz-leds.csv')):
        os.symlink(target, os.path.join(folder, link))
    for words in ('report prism-output --html=link.html', 'report a.prismrun --pdf=link.pdf',
                  'compare a.prismrun --csv=link.html', 'compare prism-output --csv=leds',
                  'refocus prism-output --output=link.tif'):
        told = run(words, folder=folder)
        assert told.code != 0
        has(told.err, 'would be overwritten by')
    told = run('run --measurements=frames.npz --set=start=prism-output --output=prism-output', folder=folder)
    assert told.code != 0
    has(told.err, 'is read by start and would be overwritten by')


@test('options/english')
def check_english():
    """What is no text of the user's language is English in all."""
    refuses(2, 'Unknown option --foo', 'LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8 run --foo')
    refuses(3, 'No such file', 'LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8 inspect none.prismrun')


@test('options/long')
def check_long():
    """A message quotes the beginning of what is long."""
    long, frames = 5000 * 'x', make_frames(32, 5)
    for words in ('run --set=', 'run --set=snr=', 'run --set=object=', 'run --preset=',
                  f'inspect {frames} --assign=na=0', f'inspect {frames} --assign={long}=', 'simulate a.npz --set=size=',
                  f'simulate a.npz --set={long}='):
        told = run(words + long)
        assert told.code == 2 and len(told.err) < 400, told.err
        has(told.err, 'xxx…”')


main()
