#!/usr/bin/env python3
"""prism-cli params, --help and --version."""
import json
import os
import re
import subprocess

from command import CLI, clean, has, lacks, main, place, read, refuses, run, test, works


@test('help-and-version')
def check_help():
    works('--help').has('Exit status:')
    assert works('--version').out == f'prism-cli {os.environ["PRISM_VERSION"]}\n'
    works('params --help').has('--markdown')
    works('help params').has('--markdown')
    nothing = run()
    assert nothing.code == 2 and nothing.out == ''


@test('bad-usage')
def check_bad_usage():
    refuses(2, '“reconstruct”', 'reconstruct')
    refuses(2, '“reconstruct”', 'help reconstruct')
    refuses(2, '--nonsense', 'params --nonsense')
    refuses(2, '“more”', 'params more')


@test('params/complete')
def check_every_parameter():
    """The page of docs/ has all, and so has each format."""
    page = read(os.environ['PRISM_PARAMETERS_PAGE']).decode().split('\n## Presets')[0]
    keys = re.findall(r'^\| `(\w+)` \|', page, flags=re.M)
    assert len(keys) > 50, keys
    has(clean('params').out, *keys)
    has(clean('params --markdown').out, *keys)
    assert [one['key'] for one in json.loads(clean('params --json').out)['parameters']] == keys


@test('params/words')
def check_words():
    """Where a number stands for none or automatic, people read the word, programs the number."""
    run('params').has('\n  snr = 0 (No noise) ', '\n  threads = 0 (Automatic) ', '\n  image_size = 512 ')
    run('params --markdown').has('| `snr` | 0 (No noise) |')
    lacks(run('params --json').out, '0 (No noise)')


@test('params/json')
def check_params_json():
    run('params --json').json('parameters.2.key = image_size', 'parameters.2.default = 512',
                              'parameters.2.maximum = 4096')


@test('params/documentation')
def check_documentation():
    """Pages of docs/ that a command prints, or begins."""
    for command, variable in (('params', 'PRISM_PARAMETERS_PAGE'), ('import', 'PRISM_FIRST_PAGE')):
        printed = run(f'{command} --markdown').out
        assert printed and read(os.environ[variable]).decode().startswith(printed), \
            f'{os.environ[variable]} is out of date: prism-cli {command} --markdown > FILE'


@test('params/full-disk')
def check_output_that_cannot_be_written():
    """The reason is that of the output, and not of what failed since."""
    tiny = 'run --json --set image_size=64 --set object_size=16 --set aperture_radius=6 --set samples=2 --set steps=2'
    for command in ('params', '--help', 'run --help', tiny):
        with open('/dev/full', 'w', encoding='utf-8') as full:
            done = subprocess.run([CLI] + command.split(), stdout=full, stderr=subprocess.PIPE, text=True, cwd=place(), check=False)
        assert done.returncode == 3, f'{command}: {done.returncode}'
        has(done.stderr, 'the output could not be written: No space left on device.\n')


main()
