#!/usr/bin/env python3
"""Counts the results of Meson test runs, subtests included, and prints what failed and what was skipped.

usage: report.py [--skipped WHAT]… [--again TESTLOG.json] TESTLOG.json…
       report.py --failed SUITE TESTLOG.json…   the names of its tests that failed

What failed and passed in the log of --again, where it ran alone, is told and does not count as failed. Ends with one plain line, "N passed, N failed" and ", N skipped" where any were. Exit status 1 when one failed
or nothing ran.
"""
import argparse
import json
import re
import sys

BAD = {'FAIL', 'ERROR', 'TIMEOUT', 'INTERRUPT', 'UNEXPECTEDPASS'}


def read_tests(path):
    try:
        with open(path, encoding='utf-8') as f:
            for line in f:
                yield json.loads(line)
    except (OSError, ValueError) as reason:
        yield {'name': f'{path}: {reason}', 'result': 'ERROR'}


def subtests(test):
    """(result, name and reason) of each line of a TAP test; of the whole where there are none."""
    found = []
    for bad, name in re.findall(r'^(not )?ok \d+ ?-? ?(.*)$', test.get('stdout') or '', flags=re.M):
        skipped = re.search(r'# *skip', name, flags=re.I)
        found.append(('skipped' if skipped else 'failed' if bad else 'passed', name))
    whole = whole_name(test)
    if test['result'] in BAD and not any(result == 'failed' for result, _ in found):
        found.append(('failed', f"{whole}: {test['result'].lower()}, exit status {test.get('returncode')}"))
    if not found:
        reason = re.search(r'^1\.\.0 *# *skip *(.*)$', test.get('stdout') or '', flags=re.M | re.I)
        skipped = f'{whole}: {reason.group(1)}' if reason else whole
        found.append(('skipped', skipped) if test['result'] == 'SKIP' else ('passed', whole))
    return found


def whole_name(test):
    return test['name'].split(' / ')[-1]


def is_in(suite, test):
    return any(name.split(':')[-1] == suite for name in test.get('suite', []))


def list_failed(suite, paths):
    for path in paths:
        for test in read_tests(path):
            if test['result'] in BAD and is_in(suite, test):
                print(whole_name(test))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--skipped', action='append', default=[], help='what was not run at all, and why')
    parser.add_argument('--again', help='log of the tests that were run once more, alone')
    parser.add_argument('--failed', metavar='SUITE', help='only print which tests of a suite failed')
    parser.add_argument('logs', nargs='+')
    options = parser.parse_args()
    if options.failed:
        list_failed(options.failed, options.logs)
        return 0
    again = {whole_name(test): test for test in read_tests(options.again)} if options.again else {}
    counts = {'passed': 0, 'failed': 0, 'skipped': len(options.skipped)}
    for what in options.skipped:
        print(f'skipped: {what}')
    for path in options.logs:
        for test in read_tests(path):
            counted = test
            alone = again.get(whole_name(test))
            if test['result'] in BAD and alone is not None and alone['result'] not in BAD:
                print(f'passed alone, failed beside others: {whole_name(test)}')
                counted = alone
            for result, name in subtests(counted):
                counts[result] += 1
                if result != 'passed':
                    print(f'{result}: {name}')
            if test['result'] in BAD:
                output = (test.get('stdout') or '') + (test.get('stderr') or '')
                for line in [line for line in output.split('\n') if line and not line.startswith('ok ')][-80:]:
                    print('  ' + line)
    line = f"{counts['passed']} passed, {counts['failed']} failed"
    print(line + (f", {counts['skipped']} skipped" if counts['skipped'] else ''))
    return 1 if counts['failed'] or not counts['passed'] else 0


if __name__ == '__main__':
    sys.exit(main())
