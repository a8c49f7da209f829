"""Rows of results that a benchmark keeps as CSV, so that it can be resumed."""
import csv
import pathlib


def load(path, types):
    """The rows of a file, none where there is none yet; types: of the columns that are not text."""
    if path is None or not pathlib.Path(path).exists():
        return []
    with open(path, newline="") as f:
        return [{**r, **{k: convert(r[k]) for k, convert in types.items()}} for r in csv.DictReader(f)]


def append(path, row):
    """Adds a row at once; the first one brings its header."""
    if path is None:
        return
    new = not pathlib.Path(path).exists()
    with open(path, "a", newline="") as f:
        writer = csv.DictWriter(f, list(row))
        if new:
            writer.writeheader()
        writer.writerow(row)
