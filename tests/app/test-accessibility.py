#!/usr/bin/env python3
"""The program as a screen reader sees it: finds by role and name, presses by action, as TAP.

usage: test-accessibility.py PROGRAM, with a display and a session bus (run-with-display.sh with A11Y=1)
"""
import glob
import os
import re
import subprocess
import sys
import time
import traceback

try:
    import gi
    gi.require_version('Atspi', '2.0')
    from gi.repository import Atspi, GLib
    import pyatspi
except (ImportError, ValueError) as error:
    print(f'1..0 # SKIP the accessibility bus cannot be read: {error}')
    sys.exit(0)

PATIENCE = int(os.environ.get("PATIENCE", 60))           # s, for whatever the program does; only a failure takes so long
CONTROLS = ('push button', 'toggle button', 'check box', 'combo box', 'spin button', 'entry', 'menu item',
            'check menu item', 'radio menu item', 'slider', 'list item')
# Long enough to be interrupted everywhere, small enough to step quickly.
SETUP = '''[prism]
image_size=256
object_size=128
aperture_radius=20
samples=300
steps=300
method=decoder
start_target=measurement
'''

LESSON = '''[lesson]
title=A tiny lesson
summary=Three steps
[settings]
extends=quick-look
image_size=64
object_size=16
aperture_radius=8
samples=4
[step]
title=One
text=Text
question=Which?
choice=one
choice=two
right=1
why=Because of one
[step]
title=Two
text=Text
question=How much?
kind=number
measure=psnr
range=0 60
why=Because of two
[step]
title=Three
text=Text
question=Where?
kind=draw
region=0.4 0.4 0.2 0.2
why=Because of three
'''


# What at-spi2-core 2.54 and GTK 4.18 call otherwise.
NEW_ROLES = {'button': 'push button', 'grouping': 'panel'}


def role_of(node):
    """The name of a role, as GTK 4.8 has it."""
    name = node.getRoleName()
    return NEW_ROLES.get(name, name)


def has_role(node, role):
    """Buttons that stay pressed are push buttons to GTK 4.8, unless a model makes them."""
    return role_of(node) == role or (role == 'push button' and role_of(node) == 'toggle button')


def wait_for(what, condition):
    """The first true result of the condition."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            result = condition()
        except (LookupError, GLib.GError):      # a widget went away while it was read
            result = None
        if result:
            return result
        time.sleep(0.05)
    raise AssertionError(f'waited in vain for {what}')


def walk(node, skip=None):
    """The widget and all that is visible below it, as they are now. GTK 4.8 does not set SHOWING."""
    node.clear_cache()
    if not node.getState().contains(pyatspi.STATE_VISIBLE) and role_of(node) != 'application':
        return
    if skip is not None and node.name == skip:
        return
    yield node
    for i in range(node.childCount):
        child = node.getChildAtIndex(i)
        if child is not None:
            yield from walk(child, skip)


def is_sensitive(node):
    return node.getState().contains(pyatspi.STATE_SENSITIVE)


def is_pressed(node):
    node.clear_cache()
    return node.getState().contains(pyatspi.STATE_PRESSED)


class Program:
    """A running PRISM Studio with an own home, and what is on its screen."""

    def __init__(self, binary, *arguments, home=None):
        self.home = home or os.path.join(os.environ['HOME'], f'program-{time.monotonic_ns()}')
        environment = dict(os.environ, HOME=self.home, XDG_DATA_HOME=os.path.join(self.home, 'data'),
                           XDG_STATE_HOME=os.path.join(self.home, 'state'))
        os.makedirs(self.home, exist_ok=True)
        setup = os.path.join(self.home, 'long.prism')
        with open(setup, 'w', encoding='utf-8') as file:
            file.write(SETUP)
        self.process = subprocess.Popen([binary, *(arguments or [setup])], env=environment, cwd=self.home)
        self.root = wait_for('the program', self.find_application)
        self.window = self.find('frame', '(.* – )?PRISM Studio')
        self.status = self.find('status bar', '.*')
        self.find_status(r'Position 0 of \d+' if arguments else 'Position 0 of 300')

    def find_application(self):
        desktop = pyatspi.Registry.getDesktop(0)
        for i in range(desktop.childCount):
            child = desktop.getChildAtIndex(i)
            if child is not None and child.get_process_id() == self.process.pid:
                return child
        return None

    def look(self, role, name, sensitive=None, root=None):
        for node in walk(root or self.root):
            if has_role(node, role) and re.fullmatch(name, node.name) \
               and (sensitive is None or is_sensitive(node) == sensitive):
                return node
        return None

    def find(self, role, name, sensitive=None):
        return wait_for(f'{role} “{name}”', lambda: self.look(role, name, sensitive))

    def find_status(self, text):
        """A label of the status bar; the whole window would take seconds to read."""
        return wait_for(f'status “{text}”', lambda: self.look('label', text, root=self.status))

    def press(self, role, name):
        """Presses the innermost widget of that name that can be pressed."""
        def pressed():
            for node in walk(self.root):
                if has_role(node, role) and re.fullmatch(name, node.name) \
                   and is_sensitive(node):
                    actions = node.queryAction()
                    if actions.nActions > 0 and actions.doAction(0):
                        return True
            return False
        wait_for(f'{role} “{name}” to press', pressed)

    def act(self, name):
        """An action of the window, as a menu item or an accelerator triggers it."""
        def acted():
            actions = self.window.queryAction()
            for i in range(actions.nActions):
                if actions.getName(i) == name:
                    return actions.doAction(i)
            return False
        wait_for(f'action {name}', acted)

    def set_value(self, name, value):
        self.find('spin button', name).queryValue().currentValue = value

    def has_ended(self):
        return self.process.poll() is not None

    def close(self):
        if not self.has_ended():
            self.process.terminate()
        assert self.process.wait(PATIENCE) == 0, f'the program ended with {self.process.returncode}'


def test_names(program):
    """Every control says what it is, in words and not by the name of its class."""
    program.find('push button', 'Run', sensitive=True)
    bad = []
    # The close button of a toast is libadwaita's, and has no name there.
    for node in walk(program.window, skip='AdwToastWidget'):
        if role_of(node) in CONTROLS:
            if not node.name.strip() or re.match(r'(Gtk|Adw|Prism)[A-Z]', node.name):
                bad.append(f'{role_of(node)} {node.name!r} ({node.description!r})')
    assert not bad, 'without a name: ' + ', '.join(bad)
    for panel in ('Reconstruction', 'Target', 'Measurement', 'K-space', 'Error', 'Misfit', 'Quality',
                  'FRC', 'Edited pattern'):
        program.find('panel', panel)


def test_run(program):
    """Run, pause, one more sample, stop: each is offered when it can be done."""
    assert not is_sensitive(program.find('push button', 'Stop'))
    program.press('push button', 'Run')
    program.find_status('Running.*')
    program.find('push button', 'Step', sensitive=False)
    program.find('image', r'Reconstruction, \d+ × \d+ pixels')
    program.press('push button', 'Pause')
    program.find_status('Paused.*')
    program.press('push button', 'Step')
    program.find_status('Paused.*')
    program.press('push button', 'Continue')
    program.find_status('Running.*')
    program.press('push button', 'Stop')
    program.find_status('Stopped')
    program.find('push button', 'Stop', sensitive=False)
    program.find('push button', 'Run', sensitive=True)


def predict(program):
    """Nothing runs before an answer; afterwards the answer stays and stands beside the result."""
    program.find('push button', 'Run this step', sensitive=False)
    program.find('label', 'Answer first.*')
    program.press('push button', 'one')
    program.press('push button', 'Run this step')
    program.find('label', 'Came out')
    assert program.look('push button', 'one', sensitive=True) is None
    program.press('push button', 'Go on')


def test_lesson(binary):
    """A lesson from its first question to the table of answers."""
    folder = os.path.join(os.environ['HOME'], f'lesson-{time.monotonic_ns()}')
    os.makedirs(folder)
    lesson = os.path.join(folder, 'tiny.prismlesson')
    with open(lesson, 'w', encoding='utf-8') as file:
        file.write(LESSON)
    guide = Program(binary, lesson)
    try:
        guide.find('label', 'A tiny lesson')
        predict(guide)
        guide.find('push button', 'Run this step', sensitive=False)
        guide.set_value('PSNR', 30)
        guide.press('push button', 'Run this step')
        guide.find('label', 'Because of two')
        guide.press('push button', 'Go on')
        guide.find('push button', 'Run this step', sensitive=False)
        guide.press('push button', 'Place a frame in the middle')
        guide.find('image', 'Frame from 40 %, 40 %, of 20 % × 20 %')
        guide.press('push button', 'Run this step')
        guide.find('label', 'Because of three')
        guide.press('push button', 'Go on')
        guide.find('label', r'\d of 3 foreseen')
        guide.find('push button', 'Save the answers.*')
        guide.press('push button', 'Leave the lesson')
        guide.find('spin button', 'Positions')
    finally:
        guide.close()


def test_parameter(program):
    """A change shows in the scene at once; what does not fit says why, and nothing can begin with it."""
    program.set_value('Positions', 12)
    program.find_status('Position 0 of 12')
    program.set_value('Object size', 512)
    program.find('label', '.*must not be larger than.*')
    program.find('push button', 'Step', sensitive=False)
    program.press('push button', 'Reset “Object size” to its default')
    program.find('push button', 'Step', sensitive=True)
    program.act('win.undo')
    program.find('push button', 'Step', sensitive=False)
    program.act('win.undo')
    program.find('push button', 'Step', sensitive=True)
    program.act('win.undo')
    program.find_status('Position 0 of 300')


def test_deferred(program):
    """What cannot change during a run says so."""
    program.press('push button', 'Run')
    program.find_status('Running.*')
    program.set_value('Radius', 11)
    program.find('label', 'Next run')
    program.press('push button', 'Stop')
    program.find_status('Stopped')


def save_as(program, path):
    """In GTK's own file dialog: the name, then the button."""
    def find(roles, name):
        for i in range(1, program.root.childCount):
            for node in walk(program.root.getChildAtIndex(i)):
                if role_of(node) in roles and re.fullmatch(name, node.name) and is_sensitive(node):
                    return node
        return None

    entry = wait_for('the name of the file', lambda: find(('text', 'entry'), 'Name:'))
    entry.queryEditableText().setTextContents(path)
    button = wait_for('the button of the dialog', lambda: find(('push button',), '.*Save'))
    button.queryAction().doAction(0)


def test_export(program):
    """After a step there are metrics, and they can be saved."""
    path = os.path.join(program.home, 'out.csv')
    program.press('push button', 'Step')
    program.find_status('Paused.*')
    program.act('win.export-metrics')
    save_as(program, path)
    wait_for('the file', lambda: os.path.exists(path))
    with open(path, encoding='utf-8') as file:
        assert file.readline().startswith('step,sample,sample_step,loss_new')
        assert len(file.readlines()) > 10


def test_pattern(program):
    """Positions are placed by name and key alone; patterns are compared and chosen; positions are saved."""
    path = os.path.join(program.home, 'positions.csv')
    program.find('label', r'Plan: \d+ %.*')
    program.press('push button', 'Edit the positions')
    program.find('label', 'Click adds, .*')
    program.press('push button', 'Edit the positions')
    program.find('label', r'Plan: \d+ %.*')
    program.act('win.patterns')
    program.press('push button', r'Star of lines: .*% covered.*')
    program.find('label', 'Star of lines')                 # not the toast, which a slow walk can miss
    program.act('win.save-gallery')
    save_as(program, os.path.join(program.home, 'patterns.png'))
    wait_for('the picture', lambda: os.path.exists(os.path.join(program.home, 'patterns.png')))
    program.act('win.save-positions')
    save_as(program, path)
    wait_for('the file', lambda: os.path.exists(path))
    with open(path, encoding='utf-8') as file:
        assert file.readline() == 'y,x\n'
        assert len(file.readlines()) == 300
    program.act('win.undo')


def type_key(name):
    """A key of the keyboard, as the X server sends it."""
    keyval = {'Down': 0xff54, 'Escape': 0xff1b, 'F9': 0xffc6, 'F10': 0xffc7, 'Return': 0xff0d}[name]
    assert Atspi.generate_keyboard_event(keyval, None, Atspi.KeySynthType.SYM)


def test_keyboard_after_menu(program):
    """A key comes to the window when a sub-menu has been left."""
    Atspi.generate_mouse_event(500, 300, 'abs')
    type_key('F10')
    program.find('menu item', 'Compare')
    program.press('menu item', 'Compare')
    program.find('menu item', 'Compare patterns.*')
    type_key('Escape')
    wait_for('the menu to close', lambda: program.look('menu item', 'Compare') is None)
    button = program.find('push button', 'Show parameters')
    for state in (False, True):
        type_key('F9')
        wait_for('the parameters to go or come', lambda: is_pressed(button) == state)


def read_values(program):
    return [(node.name, node.queryValue().currentValue) for node in walk(program.window)
            if role_of(node) in ('spin button', 'slider')]


def test_wheel(program):
    """The wheel scrolls the parameters and changes none."""
    before = read_values(program)
    for y in range(120, 700, 20):
        Atspi.generate_mouse_event(220, y, 'abs')
        Atspi.generate_mouse_event(220, y, 'b5c')
    assert read_values(program) == before


def test_bad_file(binary):
    """A file that is no image is one sentence, and the scene stays."""
    path = os.path.join(os.environ['HOME'], 'broken.png')
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n, and then something else')
    program = Program(binary, path)
    try:
        program.find('label', '.*broken.png.*')
        program.find('image', r'Target, \d+ × \d+ pixels')
        program.find('push button', 'Run', sensitive=True)
    finally:
        program.close()


def test_quit(program):
    """Closing asks while something runs; the run is kept, and the next start offers it."""
    program.press('push button', 'Run|Continue')
    program.find_status('Running.*')
    program.find('image', r'Reconstruction, \d+ × \d+ pixels')
    program.act('window.close')
    program.find('push button', '.*Keep running')
    program.press('push button', '.*Keep running')
    program.find_status('Running.*')
    assert not program.has_ended()
    program.act('window.close')
    program.press('push button', '.*Save and quit')
    wait_for('the end', program.has_ended)
    assert program.process.returncode == 0
    assert glob.glob(os.path.join(program.home, '**', '*.prismrun'), recursive=True), 'no run'


def test_next_start(binary, home):
    program = Program(binary, home=home)
    try:
        program.find('label', r'.* was interrupted\. It can go on from where it was saved.*')
        program.press('push button', 'Show')
        program.find('label', r'.* is paused: Position \d+ of 300\. It can go on from there\.')
        program.find('push button', 'Resume', sensitive=True)
        program.press('push button', 'Resume')
        program.find_status('Running.*')
    finally:
        program.close()


def test_terminate(binary):
    """SIGTERM during a run: saved, status 0."""
    program = Program(binary)
    program.press('push button', 'Run')
    program.find('image', r'Reconstruction, \d+ × \d+ pixels')
    program.close()
    assert glob.glob(os.path.join(program.home, '**', '*.prismrun'), recursive=True), 'no run'


def main(binary):
    Atspi.set_timeout(10000, 20000)     # ms; the engine may have every core
    program = Program(binary)
    tests = [
        ('names', lambda: test_names(program)),
        ('keyboard-after-menu', lambda: test_keyboard_after_menu(program)),
        ('wheel', lambda: test_wheel(program)),
        ('parameter', lambda: test_parameter(program)),
        ('pattern', lambda: test_pattern(program)),
        ('run', lambda: test_run(program)),
        ('deferred', lambda: test_deferred(program)),
        ('export', lambda: test_export(program)),
        ('quit', lambda: test_quit(program)),
        ('next-start', lambda: test_next_start(binary, program.home)),
        ('bad-file', lambda: test_bad_file(binary)),
        ('lesson', lambda: test_lesson(binary)),
        ('terminate', lambda: test_terminate(binary)),
    ]
    failed = False
    print(f'1..{len(tests)}')
    for number, (name, test) in enumerate(tests, 1):
        try:
            test()
            print(f'ok {number} /app/accessibility/{name}')
        except Exception:                                           # the next tests can still tell something
            failed = True
            print(f'not ok {number} /app/accessibility/{name}')
            print(re.sub('^', '# ', traceback.format_exc(), flags=re.M))
        sys.stdout.flush()
    if not program.has_ended():
        program.process.kill()
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(os.path.abspath(sys.argv[1])))
