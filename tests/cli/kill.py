#!/usr/bin/env python3
"""A run that saves itself all the time is killed at random moments and goes on from its file. The file must open each
time, never be older than what was read from it before the kill, and the run must end with the bits of one that was never
killed. PRISM_TEST_LONG=1 kills a thousand times."""
import os

from command import LONG, kill_after, main, number, place, read, start, test, there, works

KILLS = 1000 if LONG else 20
RUN = ('run -q -o output --set image_size=64 --set object_size=16 --set aperture_radius=8 --set samples=200 '
       '--set steps=30 --set start_steps=20 --set polish=20 --set autosave_samples=1 --set method=decoder '
       '--save a.prismrun')


def begin(folder):
    return start('run -q -o output --resume a.prismrun' if there(folder, 'a.prismrun') else RUN, folder=folder)


def finish(folder):
    assert begin(folder).wait() == 0
    return read(folder, 'output', 'reconstruction.npy')


def remove_leftovers(folder):
    """Of a writer that was killed. Returns how many there were."""
    left = [name for name in os.listdir(folder)
            if name not in ('a.prismrun', 'output') and not name.endswith('.lock')]
    for name in left:
        os.unlink(os.path.join(folder, name))
    return len(left)


@test('kill/run-goes-on')
def check_run_goes_on():
    folder = place()
    path = os.path.join(folder, 'a.prismrun')
    plain = finish(folder)
    os.unlink(path)
    step = within = before = ends = 0
    for _ in range(KILLS):
        finished = kill_after(0.04, 0.4, begin(folder))
        within += remove_leftovers(folder) > 0
        if not there(path):
            before += 1
            continue
        told = works('inspect --json', [path])
        told.json('damaged = 0')
        assert number(told.out, 'step') >= step
        step = number(told.out, 'step')
        if finished:
            assert read(folder, 'output', 'reconstruction.npy') == plain
            ends, step = ends + 1, 0
            os.unlink(path)
    assert finish(folder) == plain
    print(f'# {KILLS} kills, {within} within a write, {before} before the first file, {ends + 1} runs to the end')


main()
