"""Whether an address leads to an article or to a page that only lists articles (004 §9.1), from the address alone."""

import re
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from scoring.text.lexicon import word_set

UrlKind = Literal["article", "page", "section", "homepage", "none"]
"""`page`: an inner page that looks neither like an article nor like a list. `none`: no usable address."""

# Longer addresses exist only to be long.
MAX_URL_LENGTH = 2_048

_HOME = word_set("index home homepage default main start frontpage welcome")
_SECTIONS = word_set(
    """
    a-z about africa all americas archive archives arts asia author authors blog blogs books browse business
    categories category climate contact culture economics economy education entertainment environment europe events
    fact-check fact-checks factcheck features feed film finance food front headlines health international investing
    jobs latest lifestyle live local login markets media middle-east money most-read most-popular music national
    news newsletters opinion opinions page people photos podcasts politics popular press register rss science search
    section sections sitemap society sport sports stories subscribe tag tags tech technology today top-stories topic
    topics travel trending tv uk us us-news video videos weather world world-news
    """
)
# Below one of these everything is a list: /tag/vaccines, /author/jane-doe.
_LISTS = word_set("category categories tag tags topic topics author authors section search archive archives label page")
# Below one of these everything is a single document: /wiki/Vaccine, /doi/10.1000/182.
_DOCUMENTS = word_set("wiki article articles story doi abs pmc abstract fulltext press-release releases pdf entry")
# Pages of a wiki that only list others.
_LIST_PREFIXES = ("category:", "portal:", "special:")
_LANGUAGE = re.compile(r"[a-z]{2}(-[a-z]{2})?")
_EXTENSION = re.compile(r"\.(html?|php|aspx?|jsp|shtml|pdf|txt)$")
_DATE = re.compile(r"(^|\D)(19|20)\d{2}[-/]?(0[1-9]|1[0-2])([-/]?(0[1-9]|[12]\d|3[01]))?(\D|$)")
_LONG_NUMBER = re.compile(r"\d{5,}")
_ARTICLE_PARAMETERS = frozenset(("p", "id", "v", "story", "storyid", "article", "articleid", "newsid", "doi", "curid"))
# A slug of so many words is a headline: sections are called by one or two.
_HEADLINE_WORDS = 4


def url_kind(url: str) -> UrlKind:
    """What the address looks like. The first rule that applies decides, from the surest to the least sure."""
    try:
        parts = urlsplit(url.strip()[:MAX_URL_LENGTH])
        host = parts.hostname
    except ValueError:  # "http://[": not an address
        return "none"
    if not host:
        return "none"
    if _ARTICLE_PARAMETERS.intersection(name.lower() for name in parse_qs(parts.query)):
        return "article"
    return _path_kind(parts.path.lower())


def _path_kind(path: str) -> UrlKind:
    segments = _segments(path)
    if not segments:
        return "homepage"
    if _LISTS.intersection(segments[:-1]) or segments[-1].startswith(_LIST_PREFIXES):
        return "section"
    if _DOCUMENTS.intersection(segments[:-1]):
        return "article"
    if segments[-1] in _SECTIONS:
        return "section"
    return "article" if _is_article(path, segments[-1]) else "page"


def is_listing(url: str) -> bool:
    """Whether the address is a homepage or a section page: its text is teasers, which change from day to day."""
    return url_kind(url) in ("homepage", "section")


def _segments(path: str) -> list[str]:
    """The parts of the path that say something: no language prefix, no index file, no file extension."""
    segments = [_EXTENSION.sub("", segment) for segment in path.split("/") if segment]
    if segments and _LANGUAGE.fullmatch(segments[0]) and segments[0] not in _SECTIONS:
        segments = segments[1:]
    while segments and segments[-1] in _HOME:
        segments = segments[:-1]
    return segments


def _is_article(path: str, last: str) -> bool:
    return (
        bool(_DATE.search(path))
        or len(re.split(r"[-_+]", last)) >= _HEADLINE_WORDS
        or bool(_LONG_NUMBER.search(last))
        or path.endswith((".pdf", ".txt"))
    )
