#!/usr/bin/env python3
"""prism-cli profile, and run --profile."""
import json
import os

from command import main, place, read, refuses, run, test, works, write

SIZES = ('--set image_size=64 --set object_size=32 --set samples=20 --set aperture_radius=10 --set threads=1 '
         '--set backend=cpu')
NEAR = 5e-4  # µs, of what JSON has of a time


def check_nesting(spans, thread):
    """Each span of a thread lies within the one that is open where it begins; returns the times of stages without
    those inside them, added up."""
    inside, total = [], 0
    for begin, end, of, _ in spans:
        if of != thread:
            continue
        while inside and inside[-1] <= begin + NEAR:
            inside.pop()
        assert not inside or end <= inside[-1] + NEAR
        total += 0 if inside else end - begin
        inside.append(end)
    return total


def check_counter(events, name):
    """Never negative, and its last value is what is returned."""
    values = [event['args']['value'] for event in events if event['ph'] == 'C' and event['name'] == name]
    assert values and min(values) >= 0, name
    return values[-1]


def check_trace():
    """Takes a trace and reads it back. Returns: what part of the engine's wall time no stage owns."""
    result = works(f'run {SIZES} --force --profile look.json').has('; to take it took 0.')
    events = json.loads(result.file('look.json'))['traceEvents']
    threads = {event['args']['name']: event['tid'] for event in events if event['name'] == 'thread_name'}
    complete = [event for event in events if event['ph'] == 'X']
    assert all(event['ts'] >= 0 and event['dur'] >= 0 for event in complete)
    spans = sorted(((event['ts'], event['ts'] + event['dur'], event['tid'], event['name']) for event in complete),
                   key=lambda span: (span[0], -span[1]))
    engine = threads['engine']
    total = check_nesting(spans, engine)
    check_nesting(spans, threads['main'])
    names = [name for _, _, _, name in spans]
    assert {'object', 'pattern', 'measure', 'pass', 'publish'} < set(names) and names.count('export') == 1, names
    assert check_counter(events, 'host-memory') > 1 << 20
    for name in ('cache-hits', 'queue', 'device-memory'):
        check_counter(events, name)
    # From the first span of the thread to its last, or to where the export of another begins.
    last = max([end for _, end, thread, _ in spans if thread == engine]
               + [begin for begin, _, thread, name in spans if thread != engine and name == 'export'])
    return abs(total / (last - min(begin for begin, _, thread, _ in spans if thread == engine)) - 1)


@test('profile/trace')
def check_traces():
    """A busy machine takes the processor away between two stages now and then; time that no stage owns would be
    missing each time."""
    gaps = []
    while len(gaps) < 5 and not any(gap <= 0.03 for gap in gaps):
        gaps.append(check_trace())
    assert gaps[-1] <= 0.03, gaps


def write_profile(folder, name, measure):
    """A profile of three stages, one after the other. Returns its path, as a word of a command."""
    return [write('{"format":"prism-profile","version":1,"seconds":0.9,"span_cost":5e-08,"bandwidth":1e9,"rate":2e9,'
                  '"threads":[{"name":"engine","lost":0,"spans":[["object",0,1000000,1,0,0],["measure",1000000,%d,1,'
                  '64000000,0],["pass",500000000,300000000,20,0,0]]}],"samples":[["host-memory",1000,2097152]]}' % measure,
                  folder, name)]


@test('profile/table')
def check_table():
    folder = place()
    before = write_profile(folder, 'before.prismprof', 100000000)
    after = write_profile(folder, 'after.prismprof', 400000000)
    # Of a file from before there were several sets nobody knows what a cache could have done.
    works('profile', before).has('pass                 1     0.3000     0.3000', '     0.64      -',
                                 'The program had 2.0 MiB at most; ',
                                 '“passes” takes 75 % of the work, 1 call of 300 ms')
    works('profile', before, after).has('before.prismprof\n', 'after.prismprof\n')
    works('profile --compare', before, after).has('What became slower most is measure, by 0.3000 s.\n')
    run('profile --compare', before, before).has('Nothing became slower.\n')


@test('profile/own-format')
def check_own_format():
    """What a run has written is shown."""
    result = works(f'run {SIZES} --quiet --profile look.prismprof')
    assert result.out == ''
    works('profile', [result.path('look.prismprof')]).has('\nengine  ', 'This machine: ', 'the profile itself took 0.')


@test('profile/refusals')
def check_refusals():
    folder = place()
    good = write_profile(folder, 'good.prismprof', 1000)
    bad = [write('{"format":"prism-profile",', folder, 'bad.prismprof')]
    missing = [os.path.join(folder, 'missing.prismprof')]
    refuses(3, 'bad.prismprof” is not a whole profile', 'profile', bad)
    refuses(3, 'bad.prismprof” is not a whole profile', 'profile --compare', good, bad)
    refuses(3, 'missing.prismprof', 'profile', missing)
    refuses(2, 'FILE.prismprof is expected here', 'profile')
    refuses(2, 'Two profiles are expected', 'profile --compare', good)
    refuses(2, '“look.txt” names no format of a profile', f'run {SIZES} --profile look.txt')
    works(f'run {SIZES} --quiet --profile', [os.path.join(folder, 'look.syscap')])
    assert read(folder, 'look.syscap')
    refuses(3, 'missing.prismprof', f'run {SIZES} --profile', [missing[0] + '/a.prismprof'])


main()
