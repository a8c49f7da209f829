#!/usr/bin/env python3
"""Commands that answer at once: decoder, doctor, import, info, scale, and machines without a device."""
import os

from command import check_json, clean, has, lacks, main, number, place, refuses, run, test, works, write

# Machines that have the module of a device and not the device: everybody who installs the package and has no GPU.
NO_DEVICE = f'PRISM_MODULE_DIR={os.environ["PRISM_TEST_MODULE_DIR"]}'
TINY = ('--set image_size=64 --set object_size=16 --set aperture_radius=6 --set samples=6 --set steps=9 '
        '--set start_steps=5 --set polish=5 --set method=decoder --set threads=1')


@test('decoder/people')
def check_decoder():
    clean('decoder').has('512 → 256', '2797431', 'The run needs')


@test('decoder/json')
def check_decoder_json():
    out = works('decoder --json --set backend=cpu --set object_size=64 --set norm=none '
                "--set 'channels=40 30 20 10 7 1' --set latent=5").out
    check_json(out, 'layers = 7', 'layers.2.kind = double', 'layers.2.in_channels = 40', 'layers.2.size = 8',
               'run_bytes > bytes', 'device = cpu', f'layers.2.parameters = {16 * 40 * 30 + 30}',
               f'layers.2.multiply_adds = {16 * 16 * 40 * 30}')
    assert number(out, 'parameters') == (5 + 16 * (5 * 40 + 40 * 30 + 30 * 20 + 20 * 10 + 10 * 7)
                                         + 40 + 30 + 20 + 10 + 7 + 9 * 7 + 1)


@test('decoder/bad-list')
def check_bad_list():
    result = run("decoder --set 'channels=8 4 1'")
    assert result.code == 2
    has(result.err, 'channels has 3 numbers', '5 for the doublings up to 128×128 px')


@test('doctor/sentences')
def check_doctor():
    """One sentence about each thing, and a file with the names of libraries and without that of the user."""
    result = clean('doctor --output doctor.txt').has('System: ', 'Processor: ', 'Memory: ', 'Results: ', 'Language: ',
                                                     'Window: ', 'Display: ')
    has(result.file('doctor.txt'), 'Libraries:\n  GLib 2.')
    lacks(result.file('doctor.txt'), os.path.expanduser('~'))


@test('doctor/missing')
def check_missing():
    """What is missing is marked and counted."""
    works('GSETTINGS_SCHEMA_DIR=/nowhere XDG_DATA_DIRS=/nowhere XDG_DATA_HOME=/proc/nowhere doctor').has(
        '!  Settings of the window: the schema', ' of this needs attention')
    works('XDG_STATE_HOME=/proc/nowhere doctor').has('/proc/nowhere/prism-studio/runs')


@test('import/checkpoint')
def check_checkpoint():
    """A checkpoint becomes three files, of which a run can be made."""
    result = works('import', [os.environ['PRISM_CHECKPOINT']], '--output one.prism')
    result.has('one-positions.csv: 6 positions\n', '  blur_image: “True” has no counterpart.')
    assert len(result.bytes('one-picture.npy')) > 64
    works('run --config', [result.path('one.prism')], '--set polish=2')


@test('import/refused')
def check_import_refused():
    refuses(2, 'FILE|FOLDER|- is expected here', 'import')
    assert run('import missing.yaml').code == 3
    refuses(3, 'no folder of a run of the first PRISM', 'import .')


@test('import/flat')
def check_import_flat():
    """The line that a refusal names as an example is taken."""
    path = write('n_samples: 64\n', place(), 'flat.yaml')
    has(works('import', [path], '--output flat.prism').file('flat.prism'), 'samples=64')
    refuses(3, 'such as “n_samples: 64”', 'import', [write('what: 64\n', path)])


@test('info/people')
def check_info():
    result = clean('info').has('FFTW 3.')
    assert result.out.startswith(f'PRISM Studio {os.environ["PRISM_VERSION"]}\n')


@test('info/misspelt')
def check_misspelt():
    """What was probably meant is said."""
    refuses(2, 'no command “swep”: did you mean “sweep”?', 'swep')
    refuses(2, 'did you mean “seed”?', 'run --set sead=1')
    refuses(2, 'no parameter “foo”: “prism-cli params” lists', 'run --set foo=1')
    refuses(2, 'see “prism-cli --help”', 'reconstruct')
    refuses(2, 'did you mean “quick-look”? There are quick-look, ', 'run --preset quik-look')
    refuses(2, '--measurements is given twice', 'run -m a.h5 -m b.h5')
    refuses(2, 'A sweep needs something to go over, such as --over', 'sweep')


@test('info/isa')
def check_unknown_instruction_set():
    """A typing error in the environment is told and changes nothing."""
    result = run(['PRISM_ISA=ju\x1bnk'], 'info')
    result.check_error(0, 'PRISM_ISA is “ju?nk”, but must be one of')
    has(result.err, 'baseline. The program uses ')
    clean('PRISM_ISA=baseline info')


@test('info/json')
def check_info_json():
    works('info --json').json(f'version = {os.environ["PRISM_VERSION"]}', 'cpu begins CPU, ',
                              'memory_bytes > available_bytes', 'versions.GLib')


@test('info/cuda')
def check_why_cuda_is_not_used():
    """Without a module the reason has to be given, in words."""
    run('PRISM_MODULE_DIR=/nonexistent info').has('of other makers are not used.')
    run('PRISM_MODULE_DIR=/nonexistent info --json').json(
        'cuda = null', 'self_test = null', 'cuda_reason has not installed', 'default has CPU',
        'default has not installed')


@test('scale/people')
def check_scale():
    clean('scale --preset europa').has('Pixel of the object  24.5 km, 8.04 mas\n', "Object's diameter    128.1 px\n")


@test('scale/own-scale')
def check_own_scale():
    """True sizes for the Moon; no metres for what nobody has measured."""
    run('scale --preset quick-look').has("Object's square      3780 km\n")
    stars = run('scale --set object=points').has('sizes are in pixels')
    lacks(stars.out, 'km')


@test('scale/json')
def check_scale_json():
    works('scale --json --set wavelength=1000 --set distance=1e6 --set object_diameter=20').json(
        'advice has object_size to 102', 'scale.pixel_m = 0.1953125 ± 1e-12', 'scale.aperture_m = 0.4 ± 1e-12')


@test('scale/large-numbers')
def check_large_numbers():
    """Powers of ten as large as that once made JSON that nobody could read."""
    run('scale --json --set wavelength=1e10 --set distance=1e21 --set dxf=1').json('scale.field_m = 1e22 ± 1e7')


@test('scale/refused')
def check_scale_refused():
    result = run('scale --set distance=-1')
    assert result.code == 2
    has(result.err, 'distance')


@test('no-device/tune')
def check_tune():
    refuses(2, 'threads is set', NO_DEVICE, f'tune {TINY}')


@test('no-device/benchmark')
def check_benchmark():
    """What only a GPU has is not measured in its name."""
    works(NO_DEVICE, f'bench --report out --rounds 2 --switch cache --switch precision --switch graph {TINY}').has(
        '(precision)', '(graph)', 'Left out: ')


@test('no-device/too-large')
def check_too_large():
    """A run that the processor has no memory for is refused before there is anything of it."""
    refuses(4, 'This run needs', NO_DEVICE, 'run --set image_size=4096 --set samples=100000 --set frames=full '
            '--output out --quiet')


@test('no-device/asked-for')
def check_asked_for():
    refuses(5, 'CUDA cannot be used: No driver is installed. Set backend to auto or cpu.', NO_DEVICE,
            f'run --set backend=cuda --output out {TINY}')


main()
