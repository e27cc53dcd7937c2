"""Looking for secrets in files: which files, what is in each, and how it is told. No secret leaves this room unmasked,
and nothing is left out without being named."""

from guardhouse.scanning.interface import File, Finding, NotScanned, Report, Wanted
from guardhouse.scanning.reading import read_file, read_stream
from guardhouse.scanning.sarif import sarif_document
from guardhouse.scanning.searching import known_kinds, search
from guardhouse.scanning.walking import STANDARD_INPUT, Walk, walk

__all__ = [
    "STANDARD_INPUT",
    "File",
    "Finding",
    "NotScanned",
    "Report",
    "Walk",
    "Wanted",
    "known_kinds",
    "read_file",
    "read_stream",
    "sarif_document",
    "search",
    "walk",
]
