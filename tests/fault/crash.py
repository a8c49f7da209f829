"""Reads what libprism-fault.so says about a program that a signal ended."""

import re
import signal

LINE = re.compile(r'^prism-crash: signal \d+( without stack)? in (.*)$', re.MULTILINE)
GLIB = 'libglib-2.0.so'
LIBC = 'libc.so'
# Where memory is refused: in the place of the C library's.
ALLOCATORS = {('libprism-fault.so', name) for name in ('malloc', 'calloc', 'realloc', 'posix_memalign', 'aligned_alloc')}
# How much of the way into the end names it.
N_NAMES = 4


class End:
    """Where a program ended, or None in signal where it did not end by one."""

    def __init__(self, done):
        self.signal = signal.Signals(-done.returncode).name if done.returncode < 0 else None
        found = LINE.search(done.stderr) if self.signal else None
        self.without_stack = found is not None and found.group(1) is not None
        self.frames = [tuple(frame.split(' ', 1)) for frame in found.group(2).split(' < ')] if found else []
        is_foreign = [not frame[0].startswith((GLIB, LIBC)) and frame not in ALLOCATORS for frame in self.frames] + [True]
        self.top = self.frames[:is_foreign.index(True)]

    def names(self):
        """Of the innermost functions of GLib that have one, each once; in a circle any may be the first."""
        own = dict.fromkeys(name for module, name in self.top if module.startswith(GLIB) and not name.startswith('+'))
        return ' < '.join((sorted(own) if self.without_stack else list(own))[:N_NAMES])

    def is_by_glib(self):
        """Whether GLib ended the program because it had no memory, as it does wherever a small block is refused.

        It says so with SIGTRAP, aborts where even the place for its message is missing, and where there is no memory for
        the words of that message it complains about it in the same way, again and again, until the stack is used up.
        What an assertion ends is a fault of this program, and so is anything else.
        """
        ours = any(name.startswith('g_assert') for _, name in self.top)
        if ours or not self.names():
            return False
        if self.signal == 'SIGSEGV':
            return self.without_stack and self.top == self.frames
        return self.signal in ('SIGTRAP', 'SIGABRT')

    def describe(self):
        return f'{self.signal}{" without stack" if self.without_stack else ""} in {self.names() or "no function of GLib"}'

    def find_fault(self):
        """What is wrong with it, or None."""
        if self.signal is None or self.is_by_glib():
            return None
        where = ' < '.join(' '.join(frame) for frame in self.frames) or 'nobody knows where'
        return f'ended by {self.describe()}: {where}'
