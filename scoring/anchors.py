"""The two to five terms that a passage about a subclaim mentions: by rules, or a model's proposal made safe."""

from collections.abc import Sequence

from scoring.text import content_words, entities, stem

MIN_ANCHORS = 2
MAX_ANCHORS = 5
# Names first, but at most three of them: the rest of the five belongs to what is said about those names.
MAX_NAMES = 3
# Longer "anchors" are sentences: no passage would repeat them.
MAX_ANCHOR_LENGTH = 80


def anchors(subclaim: str, proposed: Sequence[str] = ()) -> tuple[str, ...]:
    """At most five anchors: usable proposals first, filled up by rules if they are fewer than two.

    A subclaim of a single meaningful word has one anchor; none is ever invented.
    """
    usable = _unique([text for text in map(str.strip, proposed) if text and len(text) <= MAX_ANCHOR_LENGTH])
    if len(usable) >= MIN_ANCHORS:
        return usable[:MAX_ANCHORS]
    return _unique([*usable, *_by_rules(subclaim)])[:MAX_ANCHORS]


def _by_rules(subclaim: str) -> list[str]:
    """Names, then numbers, then the longest words: longer words are rarer, so they say more about the topic."""
    names = [name for name in entities(subclaim) if len(name) <= MAX_ANCHOR_LENGTH][:MAX_NAMES]
    in_names = {stem(word) for name in names for word in content_words(name)}
    rest = [word for word in dict.fromkeys(content_words(subclaim)) if stem(word) not in in_names]
    numbers = [word for word in rest if any(c.isdigit() for c in word)]
    plain = sorted((word for word in rest if word not in numbers), key=len, reverse=True)
    return [*names, *numbers, *plain]


def _unique(terms: Sequence[str]) -> tuple[str, ...]:
    """Each term once, compared by the stems of its words."""
    seen: dict[tuple[str, ...], str] = {}
    for term in terms:
        key = tuple(stem(word) for word in content_words(term)) or (term.lower(),)
        seen.setdefault(key, term)
    return tuple(seen.values())
