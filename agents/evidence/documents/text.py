"""Plain text and Markdown: decoded, without mark-up, lines that only wrap a sentence joined again."""

import re
from datetime import date
from typing import NamedTuple

from agents.evidence.documents.dates import day_of

WRAPPED_AT = 50
"""An editor wraps lines at 70 characters or more and leaves shorter ends; shorter lines are verse or lists."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(title|date|url|published)[ \t]*:[ \t]*(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_UNDERLINE = re.compile(r"^(?:=+|-{3,}|\*{3,}|_{3,})[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.MULTILINE)
_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_LINK = re.compile(r"\[([^\]\n]+)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_REFERENCE = re.compile(r"^[ \t]*\[[^\]\n]+\]:[ \t]*\S+.*$", re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z][^>\n]{0,500}>|<!--.*?-->", re.DOTALL)
_BULLET = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)]|>)[ \t]+", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__|\*|_|`)(?=\S)([^\n]*?\S)\1(?!\w)")


class PlainText(NamedTuple):
    """A text and what it says about itself."""

    title: str
    text: str
    published: date | None = None
    url: str | None = None


def decoded(raw: bytes) -> str | None:
    """The text of a file in UTF-8, or UTF-16 with its mark; None if it is neither: a guess would be nonsense later."""
    encoding = next((name for mark, name in _BOMS if raw.startswith(mark)), "utf-8")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\x00" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def read_plain(text: str) -> PlainText:
    """A text file; its first line is its title if it stands alone and looks like one."""
    body = text.strip()
    first, _, rest = body.partition("\n")
    alone = rest.startswith("\n") and len(first) <= 120 and not first.rstrip().endswith((".", "!", "?", ",", ";", ":"))
    return PlainText(first.strip(), unwrapped(rest)) if alone else PlainText("", unwrapped(body))


def read_markdown(text: str, latest: date | None = None) -> PlainText:
    """A Markdown file; title, date and address come from its front matter, else the title is its first heading."""
    front = _FRONT_MATTER.match(text)
    fields = {name.lower(): value.strip("'\"") for name, value in _FIELD.findall(front.group(1))} if front else {}
    body = text[front.end() :] if front else text
    heading = _HEADING.search(body)
    title = fields.get("title") or (_inline(heading.group(1)) if heading else "")
    if heading and "title" not in fields:
        body = body[: heading.start()] + body[heading.end() :]
    published = day_of(fields.get("date") or fields.get("published"), latest)
    return PlainText(title, unwrapped(without_markup(body)), published, fields.get("url"))


def without_markup(text: str) -> str:
    """The words of a Markdown text, its headings and list items as lines of their own."""
    text = _TAG.sub("", _REFERENCE.sub("", _FENCE.sub("", text)))
    text = _HEADING.sub(r"\n\1\n", _UNDERLINE.sub("", text))
    return _inline(_BULLET.sub("\n", text))


def _inline(text: str) -> str:
    return _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", _IMAGE.sub("", text)))


def unwrapped(text: str) -> str:
    """Lines that an editor broke are joined; the chunker takes the end of a line for the end of a sentence."""
    joined: list[str] = []
    wrapped = False
    for line in (line.strip() for line in text.strip().splitlines()):
        if wrapped and line:
            joined[-1] += f" {line}"
        elif line or (joined and joined[-1]):
            joined.append(line)
        wrapped = len(line) >= WRAPPED_AT
    return "\n".join(joined).strip()
