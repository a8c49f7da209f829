#!/usr/bin/env python3
"""prism-cli compare, and reports."""
import html
import os
import subprocess
import xml.etree.ElementTree

from command import (CLI, SANITIZED, Skip, check_json, clean, has, lacks, main, number, refuses, run, same, start, test,
                     there, works)

# A run of a fraction of a second.
TINY = ('--set image_size=64 --set object_size=16 --set aperture_radius=8 --set samples=6 --set steps=3 '
        '--set start_steps=4 --set polish=2')
# 256 KiB for each picture of k-space.
PLANES = ('--set object=moon --set image_size=256 --set object_size=64 --set samples=2 --set method=epie --set passes=1 '
          '--set snr=20')


def check_page(page):
    """Well-formed, and nothing in it comes from somewhere else."""
    assert page.startswith('<!DOCTYPE html>\n')
    xml.etree.ElementTree.fromstring(page)
    lacks(page, '<script', 'src="http', 'href="')
    has(page, 'src="data:image/png;base64,', 'srcset="data:image/svg+xml;base64,', 'prefers-color-scheme')


@test('report/computed-again')
def check_report_can_be_computed_again():
    """By the first command of the page, as a reader would copy it."""
    result = works(f'run {TINY} --set object=text --set', ['object_text=it\'s <b>$5</b> & "more"'],
                   '--set seed=3 --report r.html --output a')
    page = result.file('r.html')
    check_page(page)
    command = html.unescape(page.split('<pre>')[1].split('</pre>')[0])
    assert command.startswith('prism-cli run ')
    subprocess.run(['/bin/sh', '-c', f'"$0" {command[len("prism-cli"):]} --quiet --output again', CLI], cwd=result.folder,
                   check=True)
    same(result.folder, 'a/reconstruction.npy', result.folder, 'again/reconstruction.npy')


@test('report/pdf')
def check_report_as_pdf():
    pdf = works(f'run {TINY} --report R.PDF').bytes('R.PDF')
    assert pdf.startswith(b'%PDF-') and len(pdf) > 10000


@test('report/format')
def check_report_needs_a_format():
    """Before an hour of computing, not after it."""
    result = run(f'run {TINY} --report r.doc')
    result.check_error(2, 'r.doc')
    assert not there(result.folder, 'prism-output')


@test('compare/methods')
def check_methods_share_everything_else():
    result = clean(f'compare --methods {TINY} --json --csv t.csv --curves c.csv --report r.html')
    result.json('runs = 4', *(condition for i in range(4) for condition in (
        f'runs.{i}.psnr = finite', f'!runs.{i}.samples', f'runs.{i}.method')))
    has(result.file('t.csv'), '\nePIE only,')
    has(result.file('c.csv'), '\nDecoder and ePIE,1,')
    check_page(result.file('r.html'))


@test('compare/queue')
def check_queue_changes_no_result():
    """A run gives the same whether others came before it in the same engine or not."""
    queued = clean(f'compare --run standard --run epie --run quick-look {TINY} --json')
    alone = run(f'run --preset quick-look {TINY} --json')
    check_json(queued.out, 'runs.2.name = Quick look')
    assert number(queued.out, 'runs.2.psnr') == number(alone.out, 'final.psnr')


@test('compare/run-files')
def check_run_files():
    made = works(f"run {TINY} --quiet --save 'first run.prismrun'")
    works(f'run {TINY} --set samples=8 --quiet --save b.prismrun', folder=made.folder)
    clean("compare --json b.prismrun 'first run.prismrun'", folder=made.folder).json(
        'runs.1.name = first run', 'runs.0.samples = 8')


@test('report/missing')
def check_report_says_what_is_missing():
    refuses(2, '--html', 'report a.prismrun')
    refuses(2, 'FILE.prismrun|FOLDER is expected here', 'report --html a.html')
    refuses(3, 'a.prismrun', 'report a.prismrun --pdf a.pdf')


@test('compare/table')
def check_table_for_people():
    works(f'compare --run standard --run epie {TINY}').has('\nPSNR, dB ', '\nMethod ')


@test('compare/bad-input')
def check_bad_input():
    refuses(2, 'nothing to compare', 'compare')
    refuses(3, 'missing.prism', 'compare --run missing.prism')
    refuses(2, '--methods', 'compare --preset standard --run epie')
    refuses(3, 'mooon', 'compare --quiet --run epie --set object=mooon')


@test('compare/not-lost')
def check_results_are_not_lost():
    """A place that cannot be written is found before the runs, and the table is told in any case."""
    early = run(f'compare {TINY} quick-look --csv no/such/table.csv')
    early.check_error(3, 'no/such/table.csv')
    assert early.out == ''
    late = run(f'compare {TINY} quick-look --csv /dev/full')
    late.check_error(3, '/dev/full')
    late.has('\nPSNR, dB ')


def measure_memory(n_runs):
    """KiB."""
    process = start(f'compare --json {PLANES}', ['quick-look'] * n_runs, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return usage.ru_maxrss


@test('compare/memory')
def check_runs_leave_their_numbers():
    """Pictures and curves of a run are gone when the next one begins."""
    if SANITIZED:
        raise Skip("The sanitizer's own memory grows.")
    few, many = measure_memory(5), measure_memory(40)
    print(f'# {few} KiB and {many} KiB')
    assert many - few < 8 * 1024


main()
