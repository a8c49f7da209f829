#!/usr/bin/env python3
"""What the program promises, a row a case: settings in, picture, misfit, verdict and curves out. Speaks TAP.

    behaviour.py --cli PRISM-CLI [--part NAME] [--only START] [--update]

It starts prism-cli and reads what that prints and writes, nothing else: README.md says how to read table.txt and how
to add a row. --update prints the part of the table with what came out now, and writes nothing.
"""

import argparse
import array
import cmath
import csv
import hashlib
import json
import math
import os
import re
import resource
import signal
import struct
import sys
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'fault'))
from cli import Program, PATIENCE, TIMELESS_COLUMNS  # pylint: disable=wrong-import-position
from tap import Tap  # pylint: disable=wrong-import-position

METRICS = ('step,sample,sample_step,loss_new,loss_old,learning_rate,psnr,ssim,rmse,cache_hit_rate,device_bytes,'
           'steps_per_second,seconds,mse,pearson,cache_bytes,misfit').split(',')
FRAMES = ('frame,held_out,left_out,column_px,row_px,found_column_px,found_row_px,gain,light,misfit,correlation').split(',')
PASSES = 'pass,held_out_misfit,held_out_correlation'.split(',')
START, PASS, ROUND = -1, -2, -3  # in the column “sample”: a start step, a pass over all, a round while training waits
NEAR = 6  # dB
KILLS = 20  # a machine on which the run is over before it could be killed has so many chances
# What every machine of some years has; the bits and the way of a training depend on it.
ENVIRONMENT = {'PRISM_ISA': 'avx2', 'PRISM_MODULE_DIR': '/nonexistent'}
SPOILT = ('off', 'dim', 'swap', 'turn', 'mix', 'root', 'board', 'slope')
EXPECTATION = re.compile(r'(\w+)(=|<|>)([^±]*)(?:±(.*))?$')


class Row:
    """One case: where it stands, what is set, what is said to come out."""

    def __init__(self, part, line, base):
        name, given, expected = (field.strip() for field in line.split('|'))
        self.line, self.name = line, f'{part}/{name}'
        words = dict(word.split('=', 1) for word in given.split())
        self.special = {key[1:]: words.pop(key) for key in list(words) if key[0] == '@'}
        self.special = {**{key[1:]: value for key, value in base.items() if key[0] == '@'}, **self.special}
        self.settings = {**{key: value for key, value in base.items() if key[0] != '@'}, **words}
        self.expected = [EXPECTATION.match(word).groups() for word in expected.split()]

    @property
    def arguments(self):
        """Those of “run”, but for where the result goes."""
        chosen = ['--preset', self.special['preset']] if 'preset' in self.special else []
        if 'object' in self.special:
            chosen += ['--set', 'object=' + os.path.join(HERE, '..', 'data', self.special['object'])]
        return chosen + [word for item in self.settings.items() for word in ('--set', '='.join(item))]


class Part:
    """The rows below one heading; its lines as they are, so that they can be printed."""

    def __init__(self, line):
        self.name, *words = line.replace(']', ' ').lstrip('[').split()
        self.base = dict(word.split('=', 1) for word in words)
        self.lines = [line]


def read_table(path):
    parts, bits = [], {}
    with open(path, encoding='utf-8') as file:
        for line in file.read().splitlines():
            if line.startswith('bits '):
                bits = dict(word.split('=', 1) for word in line.split()[1:])
            elif line.startswith('['):
                parts.append(Part(line))
            elif parts:
                parts[-1].lines.append(Row(parts[-1].name, line, parts[-1].base) if '|' in line else line)
    return parts, bits


def read_array(path, name=None):
    """Floats in C order of a .npy file, or of an array in an archive; complex ones are pairs."""
    with open(path, 'rb') as file:
        data = zipfile.ZipFile(file).read(name) if name else file.read()
    begin = 10 + struct.unpack('<H', data[8:10])[0]
    values = array.array('f')
    values.frombytes(data[begin:])
    return values


def read_columns(path, header, problems):
    with open(path, encoding='ascii', newline='') as file:
        rows = list(csv.reader(file))
    if rows[0] != header:
        problems.append(f'{os.path.basename(path)} has the columns {",".join(rows[0])}')
        return []
    return [dict(zip(header, row)) for row in rows[1:]]


def get_digest(path):
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def spoil(path, how):
    """Frames of a simulated archive as lamps, cameras and cables spoil them: off:3+7, dim:3, swap:3+7 or round swap:3+7+9, turn:3, mix:3+7, root:1, board:2,
    slope:1."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name != 'manifest.json'}
    begin = 10 + struct.unpack('<H', members['frames.npy'][8:10])[0]
    directions = 10 + struct.unpack('<H', members['directions.npy'][8:10])[0]
    n = (len(members['directions.npy']) - directions) // 8
    values = array.array('f', members['frames.npy'][begin:])
    size = len(values) // n
    frames = [values[j * size:(j + 1) * size] for j in range(n)]
    side = math.isqrt(size)
    for kind, text in how.items():
        which = [int(j) for j in text.split('+')]
        if kind in ('off', 'dim'):
            for j in which:
                frames[j] = array.array('f', (0.01 * (kind == 'dim') * a for a in frames[j]))
        elif kind == 'swap':
            for j, k in zip(which, which[1:]):
                frames[j], frames[k] = frames[k], frames[j]
        elif kind == 'turn':
            frames[which[0]].reverse()
        elif kind == 'mix':
            frames[which[0]] = array.array('f', (a + 0.1 * b for a, b in zip(*(frames[j] for j in which))))
        elif kind == 'root':
            frames = [array.array('f', map(math.sqrt, frame)) for frame in frames]
        elif kind == 'board':
            moved = array.array('f', members['directions.npy'][directions:])
            pixel = float(which[0]) * struct.unpack('<f', members['wavelength.npy'][-4:])[0] / (
                struct.unpack('<f', members['pixel_size.npy'][-4:])[0] * side)
            members['directions.npy'] = members['directions.npy'][:directions] + array.array(
                'f', (v + pixel for v in moved)).tobytes()
        else:
            top = 0.001 * max(map(max, frames))
            frames = [array.array('f', (v + top * (1 + j % 3) * (1 + i % side / side) for i, v in enumerate(frame)))
                      for j, frame in enumerate(frames)]
    members['frames.npy'] = members['frames.npy'][:begin] + b''.join(frame.tobytes() for frame in frames)
    with zipfile.ZipFile(path, 'w') as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def compare_pictures(picture, truth):
    """PSNR in dB and the correlation, by their definitions."""
    n = len(truth)
    mean = [math.fsum(values) / n for values in (picture, truth)]
    products = [0.0, 0.0, 0.0]
    for a, b in zip(picture, truth):
        a, b = a - mean[0], b - mean[1]
        products[0] += a * a
        products[1] += b * b
        products[2] += a * b
    error = math.fsum((a - b)**2 for a, b in zip(picture, truth)) / n
    return (-10 * math.log10(error) if error > 0 else math.inf,
            products[2] / math.sqrt(products[0] * products[1]) if products[0] * products[1] else math.nan)


def compare_objects(found, truth):
    """The correlation of the amplitudes, and the phases' difference in rad but for a plane, which nothing decides."""
    n = math.isqrt(len(found) // 2)
    a, b = ([complex(*v[2 * i:2 * i + 2]) for i in range(n * n)] for v in (found, truth))
    turned = [p * q.conjugate() for p, q in zip(a, b)]
    right = cmath.phase(sum(turned[i].conjugate() * turned[i + 1] for i in range(n * n) if (i + 1) % n))
    down = cmath.phase(sum(turned[i].conjugate() * turned[i + n] for i in range(n * n - n)))
    level = [t * cmath.rect(1, -right * (i % n) - down * (i // n)) for i, t in enumerate(turned)]
    mean = sum(level)
    phase = math.sqrt(sum(cmath.phase(t * mean.conjugate())**2 for t in level) / (n * n))
    return compare_pictures([abs(v) for v in a], [abs(v) for v in b])[1], phase


class Outcome:
    """What a run of the program left: values by name, and what holds for no case."""

    def __init__(self, row, folder, done):
        self.values = {'exit': done.returncode}
        self.problems = []
        self.bits = {}
        self.picture = self.curves = None
        self.training = self.losses = []
        if done.returncode not in (0, 128 + signal.SIGINT):
            self.values['says'] = done.stderr.strip()
            return
        with open(os.path.join(folder, 'summary.json'), encoding='utf-8') as file:
            summary = json.load(file)
        (self.read_recorded if 'frames' in row.special else self.read_simulated)(row, folder, summary)

    def read_simulated(self, row, folder, summary):
        final, verdict = summary['final'], summary['verdict'] or {}
        self.values.update(
            psnr=final['psnr'], ssim=final['ssim'], pearson=final['pearson'], misfit=summary['misfit'],
            state=summary['state'], training=summary['training'], verdict=verdict.get('kind'), rest=verdict.get('rest'),
            settling=(summary['settling'] or {}).get('kind'), coverage=summary['coverage'], samples=summary['samples'],
            frc=summary['fourier_ring_correlation']['radius'], loss=summary['loss_new'], side=summary['frame_side'],
            hits=summary['cache']['hits'], misses=summary['cache']['misses'],
            moved=(summary['settling'] or {}).get('change'), **(summary['convergence'] or {}))
        self.values['first'] = math.hypot(*read_array(os.path.join(folder, 'centers.npy'))[:2])
        path = os.path.join(folder, 'reconstruction.npy')
        self.picture = self.values['bits'] = get_digest(path)
        self.bits = {'FFTW': summary['versions']['FFTW'], 'compiler': summary['versions']['compiler'],
                     'isa': summary['device'].split(', ')[-1].replace(' ', '-')}
        picture, truth = read_array(path), read_array(os.path.join(folder, 'target.npy'))
        psnr, pearson = compare_pictures(picture, truth)
        self.check(math.isclose(final['psnr'], psnr, abs_tol=0.01) or final['psnr'] > 90 and psnr > 90,
                   f'the picture has {psnr:.3f} dB, the summary {final["psnr"]:.3f}')
        self.check(math.isclose(final['pearson'], pearson, abs_tol=1e-4),
                   f'the picture correlates by {pearson:.6f}, says the summary {final["pearson"]:.6f}')
        self.check(all(map(math.isfinite, picture)), 'the picture is not finite')
        self.read_curves(row, folder, summary)

    def read_curves(self, row, folder, summary):
        rows = read_columns(os.path.join(folder, 'metrics.csv'), METRICS, self.problems)
        samples = [int(r['sample']) for r in rows]
        counts = {kind: samples.count(kind) for kind in (START, PASS, ROUND)}
        visits = [s for s in samples if s >= 0]
        self.values.update(rows=len(rows), start=counts[START], passes=counts[PASS], rounds=counts[ROUND],
                           trained=len(visits), visited=len(set(visits)))
        # A run that was stopped writes the row of the step under way again when it goes on: the last one counts.
        self.curves = {int(r['step']): [r[name] for name in METRICS[:TIMELESS_COLUMNS]] for r in rows}
        first = 0 if len(rows) == counts[PASS] else 1  # ePIE begins with the look at a blank image
        self.check(list(self.curves) == list(range(first, first + len(self.curves))), 'steps are not counted one by one')
        self.check(len(self.curves) == len(rows) or row.special.get('resume', '').startswith('stop'),
                   'a step has two rows')
        self.read_course(rows, samples)
        self.check(all(ROUND <= s < summary['samples'] for s in samples), 'a row is of a sample that is none')
        self.check(samples == sorted(samples, key=lambda s: s == PASS) or int(row.settings.get('passes', 1)) > 1
                   or row.settings.get('convergence') == 'on' or 'resume' in row.special or counts[ROUND] > 0,
                   'training follows a pass')
        for r, sample in zip(rows, samples):
            self.check(all(cell != 'nan' for cell in r.values()), f'step {r["step"]}: what is not known is no empty cell')
            self.check((r['learning_rate'] == '') == (sample in (PASS, ROUND)), f'step {r["step"]}: learning rate')
            self.check(r['loss_old'] == '' or sample >= 0, f'step {r["step"]}: a loss of old measurements')
        if rows and rows[-1]['psnr']:
            self.check(math.isclose(float(rows[-1]['psnr']), summary['final']['psnr'], abs_tol=0.05)
                       or summary['final']['psnr'] > 90, 'the curve ends with another picture')

    def read_course(self, rows, samples):
        """The way that a run took: the order of its samples and rates, and how far its misfit ever rose."""
        steps = [(r, s) for r, s in zip(rows, samples) if s >= START]
        self.training = [(r['sample'], r['sample_step'], r['loss_new']) for r, _ in steps]
        self.losses = [r['loss_new'] for r in rows]
        visits = [r['sample'] for r, s in steps if s >= 0 and r['sample_step'] == '1']
        rates = [f"{float(r['learning_rate']):.3g}" for r, s in steps if s >= 0]
        live = [float(r['psnr']) for r, s in steps if s >= 0 and r['psnr']]
        pictures = [float(r['psnr']) for r in rows if r['psnr']]
        near = next((k for k, psnr in enumerate(reversed(pictures)) if psnr < pictures[-1] - NEAR), len(pictures))
        least, rise = math.inf, 0.0
        for r, s in zip(rows, samples):
            if s == PASS and r['loss_new']:
                least = min(least, float(r['loss_new']))
                rise = max(rise, float(r['loss_new']) / least if least else 1.0)
        self.check(all(r['steps_per_second'] == '' for r, s in zip(rows, samples) if s in (PASS, ROUND)), 'passes have a speed')
        self.values.update(old=sum(r['loss_old'] != '' for r in rows), order=','.join(visits), rise=rise, near=near, live=live[-1] if live else None,
                           rates=','.join(rate for rate, last in zip(rates, [None] + rates) if rate != last))

    def read_recorded(self, _row, folder, summary):
        frames = read_columns(os.path.join(folder, 'frames.csv'), FRAMES, self.problems)
        passes = read_columns(os.path.join(folder, 'passes.csv'), PASSES, self.problems)
        held, used = summary['held_out'], summary['used']
        self.picture = self.values['bits'] = get_digest(os.path.join(folder, 'object.npy'))
        self.values.update(
            verdict=summary['verdict'], misfit=held['misfit'], correlation=held['correlation'], held=held['frames'],
            used=used['frames'], used_misfit=used['misfit'], frames=summary['frames']['count'],
            bright=summary['frames']['bright'], left_out=summary['frames']['left_out'],
            side=summary['object']['side_px'], passes=len(passes), warnings=len(summary['lights']),
            defocus=summary['pupil']['defocus_um'], waves=max(map(abs, summary['pupil']['waves'].values())),
            scale=summary['board']['scale'], turn=summary['board']['turn_degrees'])
        self.values['says'] = ' '.join(summary['lights'])
        for name, waves in summary['pupil']['waves'].items():
            self.values['w_' + re.sub(r' (0°|x)$', '', name).replace(' ', '_')] = waves
        path = summary['measurements'] + '-truth.npz'
        if os.path.exists(path):
            self.compare_truth(folder, summary, frames, path)
        self.curves = [list(r.values()) for r in passes]
        self.check(len(frames) == summary['frames']['count'], f'frames.csv has {len(frames)} rows')
        self.check(sum(r['held_out'] == '1' for r in frames) == held['frames'], 'frames.csv has other held-out frames')
        self.check([int(r['pass']) for r in passes] == list(range(1, len(passes) + 1)), 'passes are not counted from 1')
        if 'tiles' not in summary:
            self.check(used['frames'] == summary['frames']['used'], 'other frames were used than judged')
        if held['frames'] and 'tiles' not in summary:
            self.check(math.isclose(float(passes[-1]['held_out_misfit']), held['misfit'], rel_tol=1e-4),
                       'the last pass has another misfit')

    def compare_truth(self, folder, summary, frames, path):
        """What a simulated instrument was, against what was found: all RMS, gains of their logarithms, places in px."""
        found, truth = read_array(os.path.join(folder, 'object.npy')), read_array(path, 'object.npy')
        if len(found) == len(truth):
            self.values['truth'], self.values['phase'] = compare_objects(found, truth)
        used = [int(r['frame']) for r in frames if r['held_out'] == r['left_out'] == '0']
        gains = read_array(path, 'gains.npy')
        logs = [2 * math.log(float(frames[j]['gain'])) + math.log(gains[j]) for j in used]  # it is taken off amplitudes
        mean = sum(logs) / len(logs)
        self.values['gains'] = math.sqrt(sum((v - mean)**2 for v in logs) / len(logs))
        side, light = summary['frames']['side_px'], summary['frames']
        pixels = light['pixel_um'] * side / (light['wavelength_nm'] / 1000)
        right = [pixels * v for v in read_array(path, 'directions.npy')]
        for key, names in (('before', ('column_px', 'row_px')), ('places', ('found_column_px', 'found_row_px'))):
            off = [float(frames[j][name]) - right[2 * j + k] for j in used for k, name in enumerate(names)]
            self.values[key] = math.sqrt(sum(v * v for v in off) / len(used))

    def check(self, holds, sentence):
        if not holds and sentence not in self.problems:
            self.problems.append(sentence)


def find_other_curves(outcome, other, name):
    if (other.picture, other.curves) != (outcome.picture, outcome.curves):
        return f'other {"curves" if other.picture == outcome.picture else "bits"} than {name}'
    return None


def find_other_training(outcome, other, name):
    return None if outcome.training and outcome.training == other.training else f'other steps of training than {name}'


def find_other_beginning(outcome, other, name):
    # The last look of ePIE is a row of its own.
    n = len(other.losses) - 1
    return None if n > 0 and outcome.losses[:n] == other.losses[:n] else f'another beginning than {name}'


RELATIONS = {'same': find_other_curves, 'trains': find_other_training, 'begins': find_other_beginning}


class Suite:
    """Runs rows, each once however many others are held against it."""

    def __init__(self, program, folder, table):
        self.program, self.folder = program, folder
        self.parts, self.bits = table
        self.rows = {row.name: row for part in self.parts for row in part.lines if isinstance(row, Row)}
        self.outcomes = {}

    def find_frames(self, name):
        """Recorded frames by what a row calls them, made where they are simulated; None: not on this machine."""
        if name.startswith('real/'):
            path = os.path.join(os.environ.get('PRISM_REAL_DATA', '/nonexistent'), name[5:])
            return path if os.path.exists(path) else None
        if name.endswith('.npz'):
            return os.path.join(HERE, name)
        path = os.path.join(self.folder, re.sub(r'\W', '-', name) + '.npz')
        if not os.path.exists(path):
            given = dict(pair.split(':') for pair in name.split(','))
            how = {key: given.pop(key) for key in list(given) if key in SPOILT}
            words = [word for pair in given.items() for word in ('--set', '='.join(pair))]
            done = self.program.call('simulate', *words, path)
            if done.returncode != 0:
                raise RuntimeError(done.stderr)
            if how:
                spoil(path, how)
        return path

    def start(self, row, more):
        return self.program.start(['run', '-q', '--output', 'result', *more],
                                  ENVIRONMENT, folder=self.make_folder(row))

    def make_folder(self, row):
        folder = os.path.join(self.folder, row.name.replace('/', '-'))
        os.makedirs(folder, exist_ok=True)
        return folder

    def interrupt(self, row, how):
        """A run that is killed, or stopped, after so many of its states were saved. True: it was not over."""
        path = os.path.join(self.make_folder(row), 'a.prismrun')
        kind, _, n = how.partition(':')
        if os.path.exists(path):
            os.unlink(path)
        process = self.start(row, row.arguments + ['--set', 'autosave_samples=1', '--save', 'a.prismrun'])
        seen, n_saved, end = None, 0, time.monotonic() + PATIENCE
        while n_saved < int(n) and process.poll() is None and time.monotonic() < end:
            if os.path.exists(path) and os.stat(path).st_ino != seen:
                seen, n_saved = os.stat(path).st_ino, n_saved + 1
            time.sleep(0.0005)
        process.send_signal(signal.SIGKILL if kind == 'kill' else signal.SIGINT)
        process.communicate()
        content = self.program.inspect(path) if os.path.exists(path) else 'nothing was saved'
        return not isinstance(content, str) and content['state'] != 'finished' and content['step'] > 0

    def run(self, row):
        if row.name in self.outcomes:
            return self.outcomes[row.name]
        folder, more = self.make_folder(row), row.arguments
        if 'frames' in row.special:
            more = more + ['--measurements', self.find_frames(row.special['frames'])]
        if 'start' in row.special:
            other = self.rows[row.special['start']]
            self.run(other)
            more = more + ['--set', 'start=' + os.path.join(self.make_folder(other), 'result')]
        if 'resume' in row.special:
            if not any(self.interrupt(row, row.special['resume']) for _ in range(KILLS)):
                raise RuntimeError('the run was always over before it could be interrupted')
            more = ['--resume', 'a.prismrun']
        done = self.program.call('run', '-q', '--output', 'result', *more, environment=ENVIRONMENT, folder=folder)
        self.outcomes[row.name] = Outcome(row, os.path.join(folder, 'result'), done)
        return self.outcomes[row.name]

    def find_miss(self, outcome, expectation):
        """What is wrong with one value; None where it is as expected."""
        key, sign, value, band = expectation
        if key in RELATIONS:
            return RELATIONS[key](outcome, self.run(self.rows[value]), value)
        found = outcome.values.get(key)
        if key == 'bits' and outcome.bits and outcome.bits != self.bits:
            return None
        if isinstance(found, (int, float)):
            wanted = float(value)
            width = abs(wanted) * float(band[:-1]) / 100 if (band or '').endswith('%') else float(band or 0)
            holds = {'=': abs(found - wanted) <= width, '<': found < wanted, '>': found > wanted}[sign]
        else:
            holds = value.replace('_', ' ') in str(found) if key == 'says' else str(found).replace(' ', '-') == value
        return None if holds else f'{key} is {found}, not {sign}{value}{"±" + band if band else ""}'

    def check(self, row):
        outcome = self.run(row)
        misses = [self.find_miss(outcome, expectation) for expectation in row.expected]
        said = [outcome.values['says']] if 'says' in outcome.values and any(misses) else []
        return [miss for miss in misses if miss] + outcome.problems + said

    def update(self, row):
        """The row with what came out now in place of what equals something; bands and limits are a person's."""
        outcome, words = self.run(row), []
        for key, sign, value, band in row.expected:
            found = outcome.values.get(key)
            if sign == '=' and key not in (*RELATIONS, 'says'):
                value = f'{found:.4g}' if isinstance(found, float) else str(found).replace(' ', '-')
            elif self.find_miss(outcome, (key, sign, value, band)):
                value += '?'
            words.append(key + sign + value + ('±' + band if band else ''))
        return ' | '.join(row.line.split(' | ')[:2] + [' '.join(words)])


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--cli', required=True)
    parser.add_argument('--part', help='only what stands below this heading')
    parser.add_argument('--only', help='only rows whose name begins so: methods/epie')
    parser.add_argument('--bits', choices=('yes', 'no'), default='yes', help='whether the build is one that keeps bits')
    parser.add_argument('--backend', choices=('cpu', 'cuda'), default='cpu', help='what the rows are run on')
    parser.add_argument('--update', action='store_true', help='print the rows as they come out now')
    return parser.parse_args()


def main():
    options = parse_options()
    with tempfile.TemporaryDirectory(prefix='prism-behaviour-') as folder:
        program = Program(options.cli, folder)
        suite = Suite(program, folder, read_table(os.path.join(HERE, 'table.txt')))
        if options.bits == 'no':
            suite.bits = {}
        if options.backend == 'cuda':
            del ENVIRONMENT['PRISM_MODULE_DIR']
            for row in suite.rows.values():
                row.settings['backend'] = 'cuda'
        tap = Tap('/behaviour', options.only)
        for part in suite.parts:
            if part.name != (options.part or part.name):
                continue
            for line in part.lines:
                if not isinstance(line, Row):
                    if options.update:
                        print(line)
                elif 'frames' in line.special and suite.find_frames(line.special['frames']) is None:
                    if options.update:
                        print(line.line)
                    else:
                        tap.skip(line.name, 'PRISM_REAL_DATA names no folder with ' + line.special['frames'][5:])
                elif options.update:
                    print(suite.update(line), flush=True)
                elif tap.wants(line.name):
                    tap.check(line.name, lambda line=line: suite.check(line))
    if not options.update:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f'# {used.ru_utime + used.ru_stime:.1f} s of processor time')
        tap.finish()


if __name__ == '__main__':
    main()
