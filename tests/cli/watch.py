#!/usr/bin/env python3
"""A camera is played by prism-cli replay, and followed by prism-cli watch."""
import json
import os
import shutil
import subprocess
import time

from command import (has, main, make_frames, place, refuses, run, same, start, test, there, works, write)


class Camera:
    """Folder and names; while it is open, frames are written, of which there are some to follow."""

    def __init__(self, rate=20, faults=''):
        self.set = make_frames(32, 7)
        self.folder = place()
        self.frames, self.result = (os.path.join(self.folder, name) for name in ('camera', 'result'))
        self.table, self.recipe = (os.path.join(self.frames, name) for name in ('leds.csv', 'recipe.prism'))
        self.read = ['--positions', self.table, '--recipe', self.recipe]
        self.process = start('replay', [self.set, self.frames], f'--rate {rate} --faults', [faults], folder=self.folder,
                             stdout=subprocess.DEVNULL)
        wait_until(lambda: there(self.recipe))

    def watch(self, *words):
        return run('watch', [self.frames], self.read, '--output', [self.result], *words)

    def explain(self, *words):
        return works('run --measurements', *words)

    def check_same(self, other, name):
        same(self.result, name, os.path.join(self.folder, other))


def wait_until(holds):
    for _ in range(1000):
        if not holds():
            time.sleep(0.02)


@test('watch/same')
def check_same():
    """Late, half written and doubled frames change nothing: the result is that of the folder, and that of the set,
    whose whole numbers TIFF keeps."""
    camera = Camera(20, 'late,half,doubled')
    followed = camera.watch('--json')
    assert camera.process.wait() == 0 and followed.err == '' and followed.code == 0
    for line in followed.out.strip().split('\n'):
        json.loads(line)
    assert followed.out.count('"event":"frame"') == 49
    followed.has('"event":"picture"', 'is in no row of', '"event":"result"')
    camera.explain([camera.frames], camera.read, '--output', [camera.folder + '/folder'])
    camera.check_same('folder', 'object.npy')
    camera.check_same('folder', 'frames.csv')
    camera.explain([camera.set], '--output', [camera.folder + '/set'])
    camera.check_same('set', 'object.npy')


@test('watch/missing')
def check_missing():
    """What never comes is not waited for: the result is that of the others, and its table can be used again, until
    another result takes its place. A table that is of no result stays."""
    camera = Camera(100, 'missing')
    table, other = camera.result + '/leds.csv', camera.folder + '/again'
    followed = camera.watch('--timeout 3')
    assert camera.process.wait() == 0 and followed.code == 0
    followed.has('48 of 49 frames are there; missing are frame_')
    camera.explain([camera.frames], '--positions', [table], '--recipe', [camera.recipe], '--output', [other])
    camera.check_same('again', 'object.npy')
    others_table = write('mine', other, 'leds.csv')
    camera.explain([camera.set], '--output', [camera.result])
    camera.explain([camera.set], '--output', [other])
    assert not there(table) and there(others_table)


def follow(camera, **options):
    return start('watch', [camera.frames], camera.read, '--output', [camera.result], stdout=subprocess.PIPE, **options)


@test('watch/killed')
def check_killed():
    """While one writes into a folder nobody else does; the picture of one that was killed is no result, and goes with
    the next."""
    camera = Camera(10, 'missing')
    picture = camera.result + '/amplitude-now.png'
    watch = follow(camera)
    wait_until(lambda: there(picture))
    refuses(3, 'Another program computes in', 'run --measurements', [camera.set], '--output', [camera.result])
    watch.kill()
    watch.communicate()
    assert camera.process.wait() == 0 and there(picture)
    assert camera.watch('--timeout 1').code == 0
    assert not there(picture) and there(camera.result, 'object.npy')


@test('watch/gone')
def check_gone():
    """A folder that goes away ends it with what there is."""
    camera = Camera(20, 'missing')
    watch = follow(camera)
    assert camera.process.wait() == 0
    wait_until(lambda: there(camera.result, 'amplitude-now.png'))
    shutil.rmtree(camera.frames)
    said, _ = watch.communicate()
    assert watch.returncode == 0
    has(said, 'The folder is not there any more.')
    assert there(camera.result, 'object.npy')


@test('watch/refused')
def check_refused():
    frames, folder = [make_frames(32, 7)], place()
    refuses(2, '--positions leds.csv', 'watch', [folder])
    refuses(2, 'There is no fault “burnt”', 'replay', frames, [folder + '/camera'], '--faults burnt')
    refuses(2, 'is there already', 'replay', frames, [os.path.dirname(frames[0])])
    write('mine', folder, 'amplitude.png')
    refuses(3, 'amplitude.png” is of no result', 'watch', [place()], '--positions', frames, '--output', [folder])


main()
