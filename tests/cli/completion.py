#!/usr/bin/env python3
"""The shells themselves complete: complete.bash, complete.zsh and complete.fish ask them."""
import json
import os
import re
import shutil
import subprocess

from command import CLI, Skip, has, lacks, main, place, refuses, run, test, works, write

HERE = os.path.dirname(os.path.abspath(__file__))
SHELLS = {'bash': 'prism-cli.bash', 'zsh': '_prism-cli', 'fish': 'prism-cli.fish'}  # the scripts as they are installed
# A setting, the third, is one word to zsh and fish, what follows “=” to bash.
WORDS = (
    ('r', 'report', False), ('help sw', 'sweep', False), ('run --preset quick', 'quick-look', False),
    ('run -p quick', 'quick-look', False), ('compare --run stand', 'standard', False), ('run --set sn', 'snr=', False),
    ('run --set pattern=fer', 'pattern=fermat', True), ('run --set amp=o', 'amp=off', True),
    ('run --set object=mo', 'object=moon', True), ('sweep --over aperture_r', 'aperture_radius=', False),
    ('bench --backend c', 'cpu', False), ('simulate --scenario tele', 'telescope', False),
    ('simulate --set stra', 'stray=', False), ('inspect --assign values=in', 'values=intensity', True),
    ('lesson ch', 'check', False))


def complete(shell, lines):
    """"LINE\tWORD\n" for every word that the shell offers. Its script is in a folder of its own; fish wants a home."""
    if shutil.which(shell) is None:
        raise Skip('the shell is not installed')
    home = place()
    path = write(works(f'params --completion {shell}').out, home, SHELLS[shell])
    environment = dict(os.environ, HOME=home, PATH=os.path.dirname(CLI) + ':' + os.environ['PATH'])
    return subprocess.run([shell] + (['-f'] if shell == 'zsh' else []) + [os.path.join(HERE, f'complete.{shell}'), path]
                          + ['prism-cli ' + line for line in lines], env=environment, stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def check_offered(shell, output, line, word):
    assert f'\nprism-cli {line}\t{word}\n' in '\n' + output, f'{shell} does not complete “{line}” to “{word}”'


def check_options(shell):
    """Every “--name” with which a line of a command's help begins, behind a short name perhaps."""
    listed = run('--help').out.split('\nCommands:\n')[1].split('\n\n')[0]
    commands = [line.split()[0] for line in listed.split('\n')]
    assert len(commands) >= 15
    output = complete(shell, [f'{command} --' for command in commands])
    for command in commands:
        names = re.findall(r'^  (?:-\w, )?(--[a-z-]+)', run(command, '--help').out, flags=re.M)
        assert len(names) >= 2
        for name in names:
            check_offered(shell, output, f'{command} --', name)


def check_words(shell):
    output = complete(shell, [line for line, _, _ in WORDS])
    for line, word, is_setting in WORDS:
        check_offered(shell, output, line, word.split('=')[1] if is_setting and shell == 'bash' else word)
    lacks(output, 'image_size')


for one in SHELLS:
    test(f'completion/options/{one}')(lambda shell=one: check_options(shell))
    test(f'completion/words/{one}')(lambda shell=one: check_words(shell))


@test('completion/nothing-else')
def check_nothing_else():
    """A number is not a file, and a preset not a setting; what is a file is left to bash."""
    output = complete('bash', ['run --animation-rate ', 'run --report ', 'run --preset snr', 'run --set snr='])
    assert output == '', output


@test('completion/parameters')
def check_every_parameter():
    offered = run("complete run --set ''").out
    for parameter in json.loads(run('params --json').out)['parameters']:
        has(offered, f'{parameter["key"]}=\t{parameter["label"]}\n')


@test('completion/asked')
def check_asked():
    """The words of a line, and what the command that a shell asks prints."""
    for words, output in (("run --resume ''", ':files\n'), ("run --output ''", ':folders\n'),
                          ('run --set=amp=of', '--set=amp=off\t'), ("inspect ''", ':files\n'), ("info ''", ''),
                          ("nothing ''", ''), ("run --animation-rate ''", '')):
        said = works('complete', words).out
        assert said.startswith(output) and (output or not said), f'{words}: {said}'


@test('completion/another-shell')
def check_another_shell():
    refuses(2, 'tcsh', 'params --completion tcsh')


main()
