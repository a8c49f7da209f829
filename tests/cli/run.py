#!/usr/bin/env python3
"""prism-cli run."""
import os
import signal
import subprocess

from command import (CLI, Skip, check_json, clean, has, lacks, main, place, read, refuses, run, same, start, test, there,
                     wait_for_line, works, write)

# A run of a fraction of a second.
TINY = ('--set image_size=64 --set object_size=16 --set aperture_radius=8 --set samples=6 --set steps=3 '
        '--set start_steps=4 --set polish=2')
HEADER = ('step,sample,sample_step,loss_new,loss_old,learning_rate,psnr,ssim,rmse,cache_hit_rate,device_bytes,'
          'steps_per_second,seconds,mse,pearson,cache_bytes,misfit')
N_TIMELESS = 10  # columns; the others hold times and what follows from them


def check_csv(text):
    """Four start steps, six samples of three steps, and the polish."""
    header, *rows = text.strip().split('\n')
    assert header == HEADER, header
    assert len(rows) >= 4 + 18 + 2 and {row.count(',') for row in rows} == {HEADER.count(',')}


def check_summary(text):
    check_json(text, 'fourier_ring_correlation.threshold = half-bit', 'fourier_ring_correlation.radius >= 0',
               'fourier_ring_correlation.radius <= fourier_ring_correlation.largest_radius', 'final.psnr = finite',
               'final.ssim = finite', 'final.rmse = finite')


@test('run/files')
def check_every_file_is_written():
    result = clean(f'run {TINY} --output a/b').has('Finished after')
    check_csv(result.file('a/b/metrics.csv'))
    check_summary(result.file('a/b/summary.json'))
    result.begins('a/b/reconstruction.png', b'\x89PNG')
    for name in ('reconstruction', 'target', 'coverage'):
        result.begins(f'a/b/{name}.npy', b'\x93NUMPY')


@test('run/decoder-is-kept')
def check_decoder_is_kept():
    """A decoder by hand, trained with activations computed twice, and kept."""
    result = clean(f"run {TINY} --set backend=cpu --set 'channels=20 15 10 5 1' --set latent=9 "
                   '--set initialisation=orthogonal --set keep_decoder=on --output a').has('Decoder for output: ')
    check_json(result.file('a/summary.json'), 'decoder.parameters < decoder.parameters_trained',
               'decoder.largest_difference < 1e-5')
    result.begins('a/decoder.npz', b'PK')


@test('run/json')
def check_json_is_the_summary():
    """Four steps of the start and 18 of samples."""
    result = works(f'run {TINY} --set method=decoder --json --output a')
    assert result.out == result.file('a/summary.json')
    result.json('counters.steps >= 22', 'counters.to_host.frames')


@test('run/progress/begins-anew')
def check_progress_begins_anew():
    """Passes alone do not explain a few lines, and with lines no exit waves are searched. The steps that the passes took
    are no start steps; there are enough to be seen by a line a second."""
    out = works('run --set object_size=64 --set image_size=256 --set samples=8 --set aperture_radius=7 '
                '--set line_length=20 --set snr=30 --set start_steps=4000 --set steps=1').out
    lacks(out, 'not trained')
    step, n_steps = out.split('start image, step ')[1].split(maxsplit=1)[0].rstrip(',:').split('/')
    assert int(n_steps) == 4000 and int(step) <= 4000


@test('run/progress')
def check_progress():
    """Lines, or nothing."""
    result = works(f'run {TINY} --set steps=200').has('Written to prism-output: ')
    lacks(result.out, '\r')
    assert works(f'run {TINY} --quiet').out == ''


@test('run/comma-locale')
def check_comma_locale():
    if 'LOCPATH' not in os.environ:
        raise Skip('the locale de_DE.UTF-8 could not be built')
    plain = works(f'run {TINY} --set threads=1')
    comma = works(f'LC_ALL=de_DE.UTF-8 run {TINY} --set threads=1')
    same(plain.folder, 'prism-output/reconstruction.npy', comma.folder)
    texts = [result.file('prism-output/metrics.csv') for result in (plain, comma)]
    check_csv(texts[1])
    timeless = [[line.split(',')[:N_TIMELESS] for line in text.split('\n')] for text in texts]
    assert timeless[0] == timeless[1]


@test('run/signals')
def check_signals_keep_the_result():
    """An endless run, sent the signal when its first line of progress is there."""
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)):
        folder = place()
        process = start(f'run {TINY} --set steps=100000 --set samples=100', folder=folder, stdout=subprocess.PIPE)
        assert wait_for_line(process.stdout) is not None
        process.send_signal(number)
        process.communicate()
        assert process.returncode == code
        check_summary(read(folder, 'prism-output/summary.json').decode())


@test('run/signals/ignored')
def check_ignored_signals_stay_ignored():
    """Started with nohup, or in the background of a shell without job control."""
    process = start(f'run {TINY} --set steps=2000', ignore=True, stdout=subprocess.PIPE)
    assert wait_for_line(process.stdout) is not None
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        process.send_signal(number)
    process.communicate()
    assert process.returncode == 0


@test('run/closed-pipe')
def check_closed_pipe_keeps_the_result():
    """The reader of the output goes away at once."""
    folder = place()
    subprocess.run(['sh', '-c', '"$0" run --set image_size=64 --set object_size=16 --set aperture_radius=8 '
                    '--set samples=20 --set steps=50 2>/dev/null | true', CLI], cwd=folder, check=True)
    check_summary(read(folder, 'prism-output/summary.json').decode())


def check_refused(code, part, *words):
    """Before there is anything of it."""
    result = run('run', *words)
    result.check_error(code, part)
    assert not there(result.folder, 'prism-output', 'summary.json')


@test('run/bad-parameters')
def check_bad_parameters():
    for words, code, part in (('--set image_sise=64', 2, 'did you mean “image_size”'),
                              ('-s image_sise=64', 2, 'did you mean “image_size”'), ('--set snr=nan', 2, '0 to 100 dB'),
                              ('--set image_size=100', 2, 'power of two'), ('--set steps', 2, 'no “=”'),
                              ('--preset fast', 2, 'quick-look'),
                              ('--config /no/such/file.prism', 3, '/no/such/file.prism'), ('--config /', 3, 'directory')):
        check_refused(code, part, words)


@test('run/missing-device')
def check_missing_device():
    refuses(5, 'CUDA', 'PRISM_MODULE_DIR=/nonexistent run --set backend=cuda')


@test('run/bad-objects')
def check_bad_objects():
    folder = place()
    empty, broken = write('', folder, 'empty.png'), write(b'\x89PNG\r\n\x1a\n but no more', folder, 'broken %s.png')
    for path, part in (('/no/such/image.png', '/no/such/image.png'), (empty, 'empty.png'), (broken, 'broken %s.png'),
                       (folder, 'directory')):
        check_refused(3, part, '--set', [f'object={path}'])


@test('run/bad-output')
def check_output_is_checked_first():
    for words in ('--output /dev/null/here', '--output /proc/here', '--report no/such/report.html',
                  '--animation no/such/film.gif'):
        check_refused(3, words.split()[1], words)
    folder = place()
    clean(f'run {TINY} --output new --report new/r.html --save new/r.prismrun --animation new/r.gif'
          ' --profile new/r.json', folder=folder)
    assert all(there(folder, 'new', 'r.' + ending) for ending in ('html', 'prismrun', 'gif', 'json'))
    check_refused(3, 'new/sub/r.html', '--output new --report new/sub/r.html')


@test('run/video-is-checked-first')
def check_video_is_checked_first():
    """A video that cannot be made is no reason to compute first."""
    result = run(f'PATH=/nowhere run {TINY} --animation x.webm')
    result.check_error(3, 'GStreamer')
    assert not there(result.folder, 'prism-output', 'summary.json')


@test('run/earlier-result')
def check_earlier_result():
    """It is replaced as a whole and with a word, never refused."""
    folder = place()
    clean(f'run {TINY} --set keep_decoder=on -o o', folder=folder).has('decoder.npz')
    assert there(folder, 'o', 'decoder.npz')
    second = works(f'run {TINY} -o o', folder=folder)
    has(second.err, 'holds the result of an earlier run, which is replaced')
    assert second.err.index('\n') == len(second.err) - 1 and not there(folder, 'o', 'decoder.npz')
    clean(f'run {TINY} -q -o o', folder=folder)
    assert run(f'run {TINY} --json -o o', folder=folder).err == ''


@test('run/memory')
def check_size_that_cannot_fit():
    refuses(4, 'TiB', 'run --set image_size=4096 --set samples=100000 --set frames=full')


@test('run/config')
def check_config_and_settings():
    path = [write('[prism]\nimage_size=64\nobject_size=16\naperture_radius=8\nsamples=4\nmethod=epie\npasses=3\n', place(),
                  'a.prism')]
    result = works('run --config', path, '--set passes=2').has('Finished after 2 passes')
    check_summary(result.file('prism-output/summary.json'))
    run('run --config', path, '--set passes=1').has('Finished after 1 pass in')
    # Of the file, and of the preset below it.
    works([f'XDG_CACHE_HOME={place()}'], 'run --config', path, '--preset decoder-only --dry-run').has(
        '\npasses=3\n', '\nconsistency=0\n')


@test('run/former-settings')
def check_former_settings():
    """Settings of earlier versions, in both orders."""
    cache = [f'XDG_CACHE_HOME={place()}']
    for words in ('--set algorithm=prism --set effort=full', '--set effort=full --set algorithm=prism'):
        out = works(cache, f'run {TINY} --dry-run --set algorithm=epie', words).has('\nmethod=decoder\n').out
        lacks(out, 'algorithm=')
    works(cache, f'sweep {TINY} --over algorithm=prism,epie --set effort=full --output former').has('method')


@test('run/animation')
def check_animation():
    """The moments of a run as one file; what cannot become one is refused before the run."""
    for words in ('x.gif --quiet', 'x.apng --animation-panels', 'two.gif --quiet --animation two.apng'):
        result = works(f'run {TINY} --animation', words)
        for name in os.listdir(result.folder):
            if name != 'prism-output':
                result.begins(name, b'GIF89a' if name.endswith('.gif') else b'\x89PNG\r\n')
        assert len(os.listdir(result.folder)) == 2 + (words[:3] == 'two')
    refuses(2, '.apng', f'run {TINY} --animation x.mp4')
    refuses(2, 'from 1 to 60', f'run {TINY} --animation x.gif --animation-rate 99')
    refuses(2, 'history_size', f'run {TINY} --animation x.gif --set history_size=0')


main()
