#!/usr/bin/env python3
"""The real program and its runs: killed, terminated, without a display, with a full disk, as TAP.

usage: test-recovery.py PROGRAM PRISM-CLI, with a display and a session bus (run-with-display.sh)

The window's actions are on the session bus; which of them are enabled says what the program does.
"""
import glob
import os
import resource
import signal
import subprocess
import sys
import time
import traceback

try:
    import gi
    from gi.repository import Gio, GLib
except (ImportError, ValueError) as error:
    print(f'1..0 # SKIP the session bus cannot be read: {error}')
    sys.exit(0)

PATIENCE = int(os.environ.get('PATIENCE', 120))          # s; only a failure takes so long
NAME = 'io.github.prism_studio.PrismStudio'
PATH = '/io/github/prism_studio/PrismStudio/window/1'
# Long enough to be interrupted everywhere.
SETUP = '''[prism]
image_size=128
object_size=64
aperture_radius=14
samples=400
steps=100
backend=cpu
autosave_samples=1
'''


def wait_for(what, condition):
    """The first true result of the condition."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.02)
    raise AssertionError(f'waited in vain for {what}')


class Program:
    """A running PRISM Studio with the home that it is given."""

    def __init__(self, binary, home, *arguments, display=None):
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        self.home = home
        environment = dict(os.environ, HOME=home, XDG_DATA_HOME=f'{home}/data', XDG_STATE_HOME=f'{home}/state')
        if display is not None:
            environment['DISPLAY'] = display
        os.makedirs(home, exist_ok=True)
        with open(f'{home}/long.prism', 'w', encoding='utf-8') as file:
            file.write(SETUP)
        self.process = subprocess.Popen(
            [binary, *arguments], env=environment, cwd=home,
            preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_DFL))
        self.wait_enabled('open')

    def is_enabled(self, action):
        try:
            reply = self.bus.call_sync(NAME, PATH, 'org.gtk.Actions', 'Describe', GLib.Variant('(s)', (action,)),
                                       None, Gio.DBusCallFlags.NO_AUTO_START, 10000, None)
        except GLib.Error:
            return False
        return reply.unpack()[0][0]

    def wait_enabled(self, action):
        wait_for(f'action {action}', lambda: self.process.poll() is None and self.is_enabled(action))

    def act(self, action, *parameters):
        self.wait_enabled(action)
        values = [GLib.Variant('s', parameter) for parameter in parameters]
        self.bus.call_sync(NAME, PATH, 'org.gtk.Actions', 'Activate', GLib.Variant('(sava{sv})', (action, values, {})),
                           None, Gio.DBusCallFlags.NONE, 10000, None)

    def wait_paused(self):
        wait_for('a pause', lambda: self.is_enabled('run') and self.is_enabled('stop'))

    def end(self, number):
        """What a signal makes of it."""
        self.process.send_signal(number)
        status = self.process.wait(PATIENCE)
        wait_for('the name on the bus', lambda: not self.is_enabled('open'))
        return status


def get_step(cli, path):
    """Steps of a run file that is whole; 0 where there is none yet."""
    result = subprocess.run([cli, 'inspect', path], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return 0
    assert 'damaged' not in result.stdout, result.stdout
    words = result.stdout.replace(',', ' ').split()
    return max((int(word) for word in words if word.isdigit()), default=0)


def find_runs(home):
    return glob.glob(f'{home}/state/prism-studio/runs/*.prismrun')


def start_run(binary, cli, home, display=None):
    program = Program(binary, home, f'{home}/long.prism', display=display)
    program.act('run')
    path = wait_for('the file of the run', lambda: find_runs(home))[0]
    first = wait_for('a whole file', lambda: get_step(cli, path))
    os.stat(path)
    inode = os.stat(path).st_ino
    wait_for('another save', lambda: os.stat(path).st_ino != inode)
    assert first > 0
    return program, path


def check_offer(binary, cli, home, path):
    """The file is whole, the next start offers the run, and it goes on."""
    assert get_step(cli, path) > 0, 'the file is not whole'
    program = Program(binary, home)
    program.wait_enabled('interrupted')
    program.act('interrupted', 'resume')
    program.wait_enabled('pause')
    assert find_runs(home) == [path]
    assert program.end(signal.SIGTERM) == 0
    assert get_step(cli, path) > 0, 'the file is not whole after the end'
    assert not os.path.exists(path + '.lock'), 'the run was not let go'


def test_killed(binary, cli, home):
    program, path = start_run(binary, cli, home)
    program.end(signal.SIGKILL)
    check_offer(binary, cli, home, path)


def test_terminated(binary, cli, home):
    program, path = start_run(binary, cli, home)
    assert program.end(signal.SIGTERM) == 0
    check_offer(binary, cli, home, path)


def test_display_gone(binary, cli, home):
    read, write = os.pipe()
    server = subprocess.Popen(['Xvfb', f':{os.getpid() % 50000 + 50100}', '-displayfd', str(write), '-nolisten', 'tcp',
                               '-noreset', '-screen', '0', '1600x1000x24'],
                              pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as number:
        display = ':' + number.readline().strip()
    try:
        program, path = start_run(binary, cli, home, display=display)
    finally:
        server.kill()
        server.wait()
    program.process.wait(PATIENCE)
    wait_for('the name on the bus', lambda: not program.is_enabled('open'))
    check_offer(binary, cli, home, path)


def test_discarded(binary, cli, home):
    program, path = start_run(binary, cli, home)
    program.end(signal.SIGKILL)
    program = Program(binary, home)
    program.act('interrupted', 'discard')
    wait_for('the file to go', lambda: not os.path.exists(path))
    assert program.end(signal.SIGTERM) == 0
    assert not find_runs(home)


def test_shown(binary, cli, home):
    """As an argument: paused where it was; leaving it at that asks nothing and changes nothing."""
    program, path = start_run(binary, cli, home)
    program.end(signal.SIGKILL)
    program = Program(binary, home, path)
    program.wait_paused()
    assert program.end(signal.SIGTERM) == 0
    check_offer(binary, cli, home, path)


def test_full_disk(binary, cli, home):
    """No file may grow any more: the run pauses, and goes on when that is mended."""
    program, path = start_run(binary, cli, home)
    step = get_step(cli, path)
    before = resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
    program.wait_paused()
    assert get_step(cli, path) >= step
    program.act('run')
    program.wait_paused()
    resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, before)
    program.act('run')
    program.wait_enabled('pause')
    inode = os.stat(path).st_ino
    wait_for('another save', lambda: os.stat(path).st_ino != inode)
    assert program.end(signal.SIGTERM) == 0


def main(binary, cli):
    tests = [test_killed, test_terminated, test_display_gone, test_discarded, test_shown, test_full_disk]
    failed = False
    print(f'1..{len(tests)}')
    for number, test in enumerate(tests, 1):
        name = test.__name__.removeprefix('test_').replace('_', '-')
        home = os.path.join(os.environ['HOME'], name)
        try:
            test(binary, cli, home)
            print(f'ok {number} /app/recovery/{name}')
        except Exception:                                # pylint: disable=broad-except
            failed = True
            print(f'not ok {number} /app/recovery/{name}')
            traceback.print_exc()
        sys.stdout.flush()
    return failed


if __name__ == '__main__':
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])))
