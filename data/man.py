#!/usr/bin/env python3
"""The manual page prism-cli(1), from what the program says of itself.

    python3 man.py PRISM_CLI > prism-cli.1
"""
import re
import subprocess
import sys

HEAD = r""".TH PRISM\-CLI 1 "" "PRISM Studio {version}" "User Commands"
.SH NAME
prism\-cli \- reconstruct images from sparse measurements
.SH SYNOPSIS
.B prism\-cli
\fICOMMAND\fR [\fIOPTION\fR]…
.SH DESCRIPTION
A small telescope aperture visits positions in the Fourier plane of an object, and at each
position a camera records an image without phase. prism\-cli finds the image that
explains all of these measurements: it trains a generative decoder while they arrive,
then refines its answer. It has no window, but the engine and the parameters of PRISM
Studio.
.SH COMMANDS
"""
AFTER_COMMANDS = r""".PP
Each command has \fB\-\-help\fR. No output takes the place of an input, of another output,
or of a file that is there: \fB\-\-force\fR replaces the latter. A folder of results takes
the place of an earlier result, but not of other files of its names, and is
one command's at a time. A run file is never replaced: \fB\-\-resume\fR goes on with it.
.SH PARAMETERS
For \fB\-\-set\fR \fIKEY=VALUE\fR and for the group [prism] of
a \fI.prism\fR file. Given are default and range.
"""
HEADINGS = {'Presets': '.SH PRESETS\nFor \\fB\\-\\-preset\\fR \\fIname\\fR.\n',
            'Built-in objects': '.SH BUILT-IN OBJECTS\nFor \\fB\\-\\-set\\fR object=\\fIname\\fR.\n',
            'Exit status of prism-cli': '.SH EXIT STATUS\n'}
TAIL = r""".SH EXAMPLES
.TP
prism\-cli run \-\-preset quick\-look
Reconstruct the built\-in moon into ./prism\-output.
.TP
prism\-cli run \-\-set object=europa.jpg \-\-set snr=20 \-\-output europa
Reconstruct a photograph with noise into the directory europa.
.SH SEE ALSO
prism\-studio(1)
"""


def escape(text):
    """For troff: backslashes and hyphens, and no line that begins with a request."""
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return '\\&' + text if text[:1] in ('.', "'") else text


def item(name, detail, text):
    return f'.TP\n\\fB{escape(name)}\\fR {escape(detail)}\n{escape(text)}\n'


def convert(markdown):
    """Headings, rows of tables and the choices of a parameter, which follow the table that it stands in."""
    choices = {key: re.findall(r'^- `([^`]*)`: (.*)$', text, re.M)
               for key, text in re.findall(r'^`(\w+)` is one of\n\n((?:- .*\n)*)', markdown, re.M)}
    page = heading = ''
    for line in markdown.split('\n'):
        if line.startswith('|---'):
            continue
        cells = [cell.strip() for cell in line[1:-1].split('|')]
        name = cells[0].strip('`')
        text = re.sub(r'^\*\*.*?\.\*\* ', '', cells[-1] if len(cells) != 3 else cells[1])
        if line.startswith('## '):
            heading = line[3:]
            page += HEADINGS.get(heading, f'.SS {heading}\n')
        elif line.startswith('|') and len(cells) == 6 and cells[0] != 'key':
            page += item(name, f'= {cells[1]} [{cells[2]}]' + (' (live)' if cells[3] else ''), text)
            if name in choices:
                page += '.RS\n' + ''.join(item(word, '', what) for word, what in choices[name]) + '.RE\n'
        elif line.startswith('|') and heading in HEADINGS and cells[0] not in ('name', 'code'):
            page += item(name, '', text)
        elif line and page.endswith(f'.SS {heading}\n'):
            page += escape(line) + '\n'
    return page


def main():
    def say(*words):
        return subprocess.run([sys.argv[1], *words], stdout=subprocess.PIPE, text=True, check=True).stdout

    commands = re.search(r'^Commands:\n(.*?)\n\n', say('--help'), re.M | re.S).group(1)
    print(HEAD.format(version=say('--version').split()[-1]), end='')
    for line in commands.split('\n'):
        name, text = line.split(None, 1)
        usage = re.search(r'^  prism-cli \S+ \[OPTION…\] ?(.*)$', say(name, '--help'), re.M)
        print(item(name, usage.group(1), text), end='')
    print(AFTER_COMMANDS + convert(say('params', '--markdown')) + TAIL, end='')


if __name__ == '__main__':
    main()
