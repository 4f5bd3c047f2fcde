"""What a site's robots.txt lets us read (RFC 9309): the rules of our group, the longest match decides."""

from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

# Real files have tens of rules; a file of a million only costs time.
MAX_RULES = 2_000


@dataclass(frozen=True, slots=True)
class RobotRules:
    """The rules of one group. No rules: everything may be read."""

    rules: tuple[tuple[bool, str], ...] = ()
    crawl_delay: float = 0.0

    def allows(self, path: str) -> bool:
        """Whether `path` (with its query) may be read; of two equally long matches the permission wins."""
        wanted = _normal(path)
        matches = [(len(pattern), allow) for allow, pattern in self.rules if _matches(pattern, wanted)]
        return max(matches)[1] if matches else True


ALLOW_ALL = RobotRules()
ALLOW_NONE = RobotRules(((False, "/"),))


def parse_robots(text: str, token: str) -> RobotRules:
    """The rules for the crawler called `token`: its own groups if there are any, else those for everyone."""
    own: list[tuple[str, str]] = []
    everyone: list[tuple[str, str]] = []
    named_us = False
    current: list[list[tuple[str, str]]] = []
    heading = False
    for name, value in _lines(text):
        if name == "user-agent":
            current = current if heading else []
            heading = True
            # "Veristream/0.1" names us as well; only the product's name counts.
            agent = value.lower().split("/")[0].strip()
            if agent == token.lower():
                named_us = True
                current.append(own)
            elif agent == "*":
                current.append(everyone)
        else:
            heading = False
            for group in current:
                group.append((name, value))
    return _rules(own if named_us else everyone)


def _lines(text: str) -> list[tuple[str, str]]:
    found = []
    for line in text.removeprefix("\ufeff").splitlines():
        name, colon, value = line.split("#", 1)[0].partition(":")
        key = name.strip().lower()
        if colon and key in {"user-agent", "allow", "disallow", "crawl-delay"}:
            found.append((key, value.strip()))
    return found


def _rules(lines: list[tuple[str, str]]) -> RobotRules:
    rules = [(name == "allow", _normal(value)) for name, value in lines if name != "crawl-delay" and value]
    delays = [_seconds(value) for name, value in lines if name == "crawl-delay"]
    return RobotRules(tuple(rules[:MAX_RULES]), max(delays, default=0.0))


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        return 0.0
    return seconds if 0.0 <= seconds < float("inf") else 0.0


def _normal(path: str) -> str:
    """One spelling for `%7Ejoe`, `~joe` and `/käse`."""
    return quote(unquote_to_bytes(path), safe="/*$?=&:@!'()+,;~-._")


def _matches(pattern: str, path: str) -> bool:
    """`*` is any run of characters, a final `$` the end. Left to right without going back: no pattern is slow."""
    anchored = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    if not rest:
        return not anchored or path == first
    position = len(first)
    *middle, last = rest
    for piece in middle:
        found = path.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    if anchored:
        return len(path) - len(last) >= position and path.endswith(last)
    return path.find(last, position) >= 0
