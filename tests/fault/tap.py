"""What the tests of this folder say, in the Test Anything Protocol."""

import sys
import traceback

MAX_PROBLEMS = 20


class Tap:
    """Counts tests: one line each, what is wrong above it."""

    def __init__(self, prefix='/fault', only=''):
        self.prefix = prefix
        self.only = only
        self.n = 0
        self.failed = False

    def wants(self, name):
        """Whether it is asked for."""
        return name.startswith(self.only or '')

    def report(self, name, problems, note=''):
        self.n += 1
        for problem in problems[:MAX_PROBLEMS]:
            print(f'# {problem}')
        if note:
            print(f'# {name}: {note}')
        print(f'{"not ok" if problems else "ok"} {self.n} {self.prefix}/{name}', flush=True)
        self.failed |= bool(problems)

    def skip(self, name, reason):
        self.n += 1
        print(f'ok {self.n} {self.prefix}/{name} # SKIP {reason}', flush=True)

    def check(self, name, test):
        """Calls a test that returns its problems, or (problems, note); whatever it throws is one more."""
        try:
            found = test()
        except Exception:  # pylint: disable=broad-except
            found = traceback.format_exc().splitlines()
        self.report(name, *(found if isinstance(found, tuple) else (found,)))

    def finish(self):
        print(f'1..{self.n}')
        sys.exit(1 if self.failed else 0)
