#!/usr/bin/env python3
"""prism-cli lesson."""
from command import clean, has, lacks, main, place, refuses, run, test, works, write

HEAD = ('[lesson]\ntitle=T\nsummary=S\n[settings]\nextends=quick-look\nimage_size=64\nobject_size=16\n'
        'aperture_radius=8\nsamples=4\n')
STEP = '[step]\ntitle=A\ntext=B\nquestion=C\nwhy=D\nchoice=one\nchoice=two\nright=2\n'
COLUMNS = 'name,lesson,step,question,prediction,result,foreseen,psnr\n'


def save(text):
    """As a word of a command."""
    return [write(text, place(), 'x.prismlesson')]


@test('lesson/list')
def check_list():
    works('lesson list').has('phase      Overlap and phase: ')
    works('lesson list --json').has('"title" : "Overlap and phase"')


@test('lesson/show')
def check_show():
    """What is shown is a file that can be checked."""
    works('lesson check', save(works('lesson show prior').out)).has('a lesson of 4 steps, no mistakes')


@test('lesson/mistakes')
def check_mistakes():
    """A line for each mistake."""
    result = run('lesson check', save(f'{HEAD}{STEP}colour=red\n[settings]\nsamples=many\n'))
    assert result.code == 2
    has(result.err, 'line 18: there is no key “colour” in [step]', 'line 20: ')


@test('lesson/missing')
def check_missing():
    """What a step needs and is not there, in lines and as JSON."""
    for text, part in (('expect=correlation 0 1\n', 'line 18: “correlation” is of recorded frames'),
                       ('[settings]\nobject=nix.png\n', 'line 10: The object “nix.png” is neither a file')):
        path = save(HEAD + STEP + text)
        refuses(2, part, 'lesson check', path)
        result = run('lesson check --json', path)
        assert result.code == 2
        result.json(f'0.problems.0 has {part}')


@test('lesson/foreign')
def check_foreign():
    """A file that is no lesson gets a line for each kind of mistake."""
    result = run('lesson check', save('one\ntwo\nthree\na=1\nb=2\n'))
    assert result.code == 2
    first, second, *others = result.err.split('\n')
    has(first, 'line 1: expected is “key=value”')
    assert first.endswith('Further lines of which this is true: 2.')
    has(second, 'line 4: the line [lesson] has to stand')
    assert second.endswith('Further lines of which this is true: 1.')
    lacks(others[0], 'Further lines')


@test('lesson/expectations')
def check_expectations():
    """What the lesson expects is held against the run."""
    clean('lesson check --run', save(f'{HEAD}{STEP}expect=psnr 5 200\nexpect=coverage 1 100\n')).has('line 10: PSNR ')
    bad = run('lesson check --run', save(f'{HEAD}{STEP}expect=psnr 5 200\nexpect=ssim 2 3\n'))
    assert bad.code == 1
    has(bad.err, 'line 19: expected is ssim between 2.000 and 3.000')


@test('lesson/true')
def check_lessons():
    """The lessons of the program say nothing that their runs do not show. Those that take longest are left to
    “prism-cli lesson check --run”."""
    clean('lesson check --run phase bars')


@test('lesson/report')
def check_report():
    """A class: two answered before, one of them again after."""
    before = save(COLUMNS + 'Ada,Light,1,"How, and why?","""so""",other,0,25.5\n'
                  'Bob,Light,1,"How, and why?",other,other,1,25.5\r\n' + COLUMNS
                  + 'Ada,Light,2,Where?,3.0 dB,4.0 dB,1,\n')
    after = save(COLUMNS + 'Ada,Light,1,"How, and why?",other,other,1,25.5\n')
    text = works('lesson report', before, after).out
    assert text == ('Light, step 1: How, and why?\n  came out: other\n  before 1 of 2 foreseen\n       1 "so"\n'
                    '       1 other\n  after  1 of 1 foreseen\n       1 other\nLight, step 2: Where?\n'
                    '  came out: 4.0 dB\n  before 1 of 1 foreseen\n       1 3.0 dB\n'), text
    run('lesson report --json', before, after).has('"after"', '\\"so\\"')
    wrong = run('lesson report', save(COLUMNS + 'Ada,Light\n'))
    assert wrong.code != 0
    has(wrong.err, 'row 2 has 2 cells')


@test('lesson/refused')
def check_refused():
    for command in ('', 'sing', 'show'):
        result = run('lesson', command)
        assert result.code == 2
        has(result.err, 'see “prism-cli lesson --help”')


main()
