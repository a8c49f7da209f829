#!/usr/bin/env python3
"""What the report of the tests counts, as TAP.  usage: check-report.py SOURCE_ROOT"""
import json
import os
import subprocess
import sys
import tempfile

GOOD = {'name': 'studio:app / window', 'suite': ['studio:app'], 'result': 'OK', 'stdout': '1..1\nok 1 /app/window/a\n'}
BAD = dict(GOOD, result='FAIL', returncode=1, stdout='1..1\nnot ok 1 /app/window/a\n')
ENGINE = dict(BAD, name='studio:engine / fft', suite=['studio:engine'], stdout='1..1\nnot ok 1 /engine/fft/b\n')
STALE = dict(GOOD, result='TIMEOUT')
SKIPPED = dict(GOOD, name='studio:cli / slurm', result='SKIP', stdout='1..0 # SKIP Slurm is not there\n')


def report(folder, tests, *options, again=None):
    paths = []
    for name, log in (('log', tests), ('again', again)):
        if log is not None:
            paths.append(os.path.join(folder, name))
            with open(paths[-1], 'w', encoding='utf-8') as f:
                f.writelines(json.dumps(test) + '\n' for test in log)
    if again is not None:
        options += ('--again', paths.pop())
    command = [sys.executable, os.path.join(sys.argv[1], 'tests', 'report.py'), *options, *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.split('\n')[:-1]


def main():
    with tempfile.TemporaryDirectory() as folder:
        checks = [
            ('counts', lambda: report(folder, [GOOD, BAD])[0] == 1),
            ('names-of-a-suite', lambda: report(folder, [GOOD, BAD, ENGINE], '--failed', 'app') == (0, ['window'])),
            ('passed-alone-is-told', lambda: report(folder, [BAD], again=[GOOD])
                == (0, ['passed alone, failed beside others: window', '  1..1', '  not ok 1 /app/window/a',
                        '1 passed, 0 failed'])),
            ('failed-again-counts-once', lambda: report(folder, [BAD], again=[STALE])[1][-1] == '0 passed, 1 failed'),
            ('reason-of-a-skip', lambda: report(folder, [GOOD, SKIPPED])
                == (0, ['skipped: slurm: Slurm is not there', '1 passed, 0 failed, 1 skipped'])),
            ('others-are-not-excused', lambda: report(folder, [ENGINE], again=[GOOD])[0] == 1),
        ]
        failed = 0
        print(f'1..{len(checks)}')
        for number, (name, check) in enumerate(checks, 1):
            good = check()
            failed += not good
            print(f'{"ok" if good else "not ok"} {number} /style/report/{name}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
