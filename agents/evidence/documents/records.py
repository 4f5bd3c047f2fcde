"""JSON objects as documents: `{"doc_id", "title", "sentences"}` and the names that other corpora use."""

from collections.abc import Iterable, Mapping

from agents.evidence.documents.addresses import record_address, web_address
from agents.evidence.documents.dates import day_of
from agents.evidence.documents.values import Document, Reading
from agents.evidence.extraction import ExtractedPage, domain_of

IDS = ("doc_id", "id", "_id", "docid", "document_id", "uuid", "key")
URLS = ("url", "link", "source_url", "canonical_url", "uri")
TITLES = ("title", "headline", "name", "heading")
SECTIONS = ("section", "section_title")
TEXTS = ("text", "content", "body", "abstract", "article", "maintext", "contents", "passage", "summary", "description")
DATES = (
    "date",
    "published",
    "published_at",
    "publish_date",
    "date_publish",
    "pub_date",
    "publication_date",
    "timestamp",
)
LANGUAGES = ("language", "lang")


def read_record(record: Mapping[str, object], stem: str, reading: Reading) -> Document | str:
    """The document in a JSON object, or the sentence that says why there is none."""
    text = _text(record)
    if not text:
        return f"no text under any of: sentences, {', '.join(TEXTS[:4])}"
    url = next((found for name in URLS if (found := web_address(record.get(name)))), None)
    address = url or record_address(stem, _first(record, IDS), text)
    page = ExtractedPage(
        url=address,
        title=_title(record)[: reading.policy.max_title_chars],
        text=text,
        published=next((day for name in DATES if (day := day_of(record.get(name), reading.latest))), None),
        domain=domain_of(address),
        language=_line(_first(record, LANGUAGES)).lower()[:2] or None,
    )
    return Document(page, "json")


def _first(record: Mapping[str, object], names: Iterable[str]) -> object:
    return next((record[name] for name in names if record.get(name) not in (None, "")), None)


def _title(record: Mapping[str, object]) -> str:
    """Title and section: a passage is found better, and read better, with both."""
    named = (_line(_first(record, names)) for names in (TITLES, SECTIONS))
    return ". ".join(part for part in named if part)


def _text(record: Mapping[str, object]) -> str:
    sentences = record.get("sentences")
    if isinstance(sentences, list):
        joined = " ".join(part.strip() for part in sentences if isinstance(part, str) and part.strip())
        if joined:
            return clean(joined)
    for name in TEXTS:
        value = record.get(name)
        parts = value if isinstance(value, list) else [value]
        joined = "\n\n".join(part.strip() for part in parts if isinstance(part, str) and part.strip())
        if joined:
            return clean(joined)
    return ""


def _line(value: object) -> str:
    return clean(" ".join(value.split())) if isinstance(value, str) else ""


def clean(text: str) -> str:
    """A text that every store can write: half a surrogate pair, which JSON can spell, becomes a replacement mark."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode()
