"""Documents that somebody brings along: files, folders, addresses and feeds, read one at a time."""

from agents.evidence.documents.files import FileSource, find_files, read_feed_file, read_file
from agents.evidence.documents.values import Document, Piece, Reading, ReadingPolicy, Skip, SkipReason
from agents.evidence.documents.web import FeedMemory, Visit, is_address, read_address, read_entries

__all__ = [
    "Document",
    "FeedMemory",
    "FileSource",
    "Piece",
    "Reading",
    "ReadingPolicy",
    "Skip",
    "SkipReason",
    "Visit",
    "find_files",
    "is_address",
    "read_address",
    "read_entries",
    "read_feed_file",
    "read_file",
]
