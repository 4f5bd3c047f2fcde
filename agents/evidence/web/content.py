"""Whether a body is what its headers say: its type by the list and its first bytes, its charset by decoding it."""

import codecs

from agents.evidence.web.failures import FetchFailed

PDF = "application/pdf"
# How far a PDF's mark may lie from the start, and how far we look for bytes that no text has.
_SNIFFED = 1_024
_WIDE = {"utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"}
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
# Python knows codecs under a charset's name that no page may ask for: they are escapes, not alphabets.
_NOT_CHARSETS = {"utf-7", "unicode-escape", "raw-unicode-escape", "punycode", "idna", "undefined"}


def media_type(header: str, allowed: tuple[str, ...], url: str) -> str:
    """The content type without its parameters, if it is one of `allowed`."""
    found = header.partition(";")[0].strip().lower()
    if found not in allowed:
        shown = found[:80] or "no content type"
        raise FetchFailed("content_type", url, f"{shown} cannot be read here, only {', '.join(allowed)}")
    return found


def check_body(kind: str, body: bytes, url: str) -> None:
    """A PDF must look like one, and text must not hold bytes that only pictures and programs have."""
    head = body[:_SNIFFED]
    if kind == PDF and b"%PDF-" not in head:
        raise FetchFailed("content_type", url, "says it is a PDF and is not")
    if kind != PDF and b"\0" in head and not _is_wide(head):
        raise FetchFailed("content_type", url, f"says it is {kind} and is binary")


def charset_of(header: str, body: bytes) -> str | None:
    """The charset that the server names, if there is such a charset and the body really is written in it."""
    named = _named(header)
    if named is None:
        return None
    try:
        codec = codecs.lookup(named)
    except (LookupError, ValueError):  # ValueError: a name with a null character
        return None
    if codec.name.replace("_", "-") in _NOT_CHARSETS or (codec.name in _WIDE and not _is_wide(body[:_SNIFFED])):
        return None
    try:
        body.decode(codec.name)
    except (LookupError, UnicodeError):  # LookupError: a codec for something other than text
        return None
    return codec.name


def _named(header: str) -> str | None:
    for parameter in header.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'")[:40] or None
    return None


def _is_wide(head: bytes) -> bool:
    """Text in two or four bytes per character: it starts with a mark, or every other byte is null."""
    return head.startswith(_WIDE_MARKS) or head.count(b"\0") >= len(head) * 0.4
