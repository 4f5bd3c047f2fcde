"""A claim cut into the statements it makes: at sentences and at conjunctions between clauses, never inside a phrase.

Each part carries its subject, so that it can be verified alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.language.rules.names import PAIRS
from agents.language.rules.sentences import split_sentences
from agents.language.rules.verbs import REPORTING, finite_verbs, is_finite
from scoring.text.lexicon import word_set
from scoring.text.words import STOP_WORDS

_WORD = re.compile(r"[^\W_]+(?:[.'’,-][^\W_]+)*%?")
# Where a new clause may begin. "which" and "who" only after a comma: without one they narrow down what is meant.
_JOINT = re.compile(
    r"(?P<stop>\s*;\s*)|(?P<which>,\s+(?:which|who)\s+)|(?P<and>,?\s+(?:and|but|while|whereas|although)\s+)|(?P<comma>,\s+)"
)
_PRONOUNS = word_set("he she it they")
_DEMONSTRATIVES = word_set("this that these those there")
_RELATIVES = word_set("who which that whose where when")
_LEADS = word_set("also then later still even only therefore thus eventually finally")
_DETERMINED = re.compile(r"(?i)\b(?:the|a|an|his|her|its|their)\s+(?:[\w'’-]+\s+){0,3}?[\w'’-]+$")
_NAMED = re.compile(r"(?:[A-Z][\w'’.-]*\s+){0,4}[A-Z][\w'’.-]*$")
_SHARE_OF = re.compile(r"(?i)^\S+\s+(of\s+(?:the\s+)?[\w'’-]+)")
_NUMBER_WORD = re.compile(r"(?i)^(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|some|most|many|half)$")
# A subject longer than this is a clause of its own that was not understood.
_MAX_SUBJECT_WORDS = 14
# How far into a part its verb may stand for the part to have a subject of its own.
_VERB_WITHIN = 7
# Characters after a joint that show whether a clause begins there, and clauses beyond which a text is a list.
_LOOKAHEAD = 160
_MAX_CLAUSES = 12
# A clause of so few words may end with its verb.
_SHORT_STATEMENT = 3


@dataclass(frozen=True, slots=True)
class DecomposePolicy:
    """004 §3."""

    enabled: bool = True
    min_claim_length: int = 20
    max_subclaims: int = 5


DEFAULT = DecomposePolicy()


def decompose(claim: str, policy: DecomposePolicy = DEFAULT) -> tuple[str, ...]:
    """The statements of a claim; the claim itself if it makes only one, is too short, or splitting is off."""
    text = " ".join(claim.split())
    if not policy.enabled or len(text) < policy.min_claim_length:
        return (claim,)
    parts: list[str] = []
    subject = ""
    for sentence in split_sentences(text):
        statements, subject = _statements(sentence, subject)
        parts += statements
    unique = list(dict.fromkeys(_finished(part) for part in parts))
    return tuple(unique[: policy.max_subclaims]) if len(unique) > 1 else (claim,)


def _statements(sentence: str, earlier_subject: str) -> tuple[list[str], str]:
    """The statements of one sentence, and its subject for pronouns of the next."""
    body = sentence.rstrip(" .!;")
    if _words(body)[:1] and _words(body)[0] in _PRONOUNS and earlier_subject:
        body = _with_subject(body, earlier_subject)
    clauses = _clauses(body)
    return [clause.text for clause in clauses], _name_like(clauses[0].subject) or earlier_subject


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    subject: str


def _clauses(body: str) -> list[_Clause]:
    first_subject = _subject(body)
    done: list[_Clause] = []
    start = 0
    subject = first_subject
    for joint in _JOINT.finditer(body):
        if len(done) >= _MAX_CLAUSES:
            break
        left, right = body[start : joint.start()], body[joint.end() : joint.end() + _LOOKAHEAD]
        following = _following_subject(left, right, joint, subject, first=not done and start == 0)
        if following is None:
            continue
        done.append(_Clause(_assembled(left, subject, is_first=start == 0), subject))
        start, subject = joint.end(), following
    done.append(_Clause(_assembled(body[start:], subject, is_first=start == 0), subject))
    return [done[0], *(_Clause(_shared_out(clause.text, done[0].text), clause.subject) for clause in done[1:])]


def _following_subject(left: str, right: str, joint: re.Match[str], subject: str, *, first: bool) -> str | None:
    """The subject of what follows the joint, "" if it brings its own, None if the joint cuts nothing."""
    words, before = _words(right), _words(left)
    if len(words) < 2 or not before or not _can_stand(left, subject, first=first):
        return None
    if (before[-1].lower(), words[0].lower()) in PAIRS or (subject and _reports(left)):
        return None
    lead = 1 if words[0] in _LEADS else 0
    if joint.group("which"):
        return _antecedent(left) if is_finite(words, lead) else None
    if is_finite(words, lead) or (words[0] in _PRONOUNS and is_finite(words, 1) and not joint.group("comma")):
        return subject
    brings_own = joint.group("stop") or (not joint.group("comma") and _brings_subject(words))
    return "" if brings_own else None


def _can_stand(left: str, subject: str, *, first: bool) -> bool:
    """Whether what precedes is a whole statement. In "created and popularised the word" the first verb shares its
    object with the second; a short "The mayor resigned" is complete."""
    words = _words(left)
    if not first and subject:
        return bool(words)
    verbs = finite_verbs(words)
    if not verbs or verbs[0] == 0:
        return False
    return verbs[-1] < len(words) - 1 or len(words) <= _SHORT_STATEMENT


def _reports(left: str) -> bool:
    """ "He said that it was good and ...": cutting would turn what somebody said into a fact."""
    words = _words(left)
    return any(word in REPORTING for word in words[:_VERB_WITHIN]) and "that" in words


def _brings_subject(words: Sequence[str]) -> bool:
    """Whether a subject and its verb open the part: "wages did not rise", "the school has", "six died"."""
    if words[0] in _DEMONSTRATIVES:
        return is_finite(list(words), 1)
    for index in range(1, min(_VERB_WITHIN, len(words))):
        if words[index] in _RELATIVES or (words[index - 1] == "and" and is_finite(list(words), index)):
            return False
        if is_finite(list(words), index):
            return not _is_participle(words, index)
    return False


def _is_participle(words: Sequence[str], index: int) -> bool:
    """ "the film directed by her": a past form that qualifies the noun before it."""
    following = words[index + 1] if index + 1 < len(words) else ""
    return words[index].endswith("ed") and following in ("by", "in", "from", "on", "with", "as", "for", "at")


def _subject(body: str) -> str:
    """What stands before the first finite verb of the first clause."""
    first_joint = _JOINT.search(body)
    spans = [(_plain(match.group()), match.start()) for match in _WORD.finditer(body)]
    words = [word for word, _ in spans]
    end = len([start for _, start in spans if first_joint is None or start < first_joint.start()])
    verbs = [index for index in finite_verbs(words[:end]) or finite_verbs(words) if index > 0]
    while len(verbs) > 1 and _is_participle(words, verbs[0]):
        verbs.pop(0)
    if not verbs or verbs[0] > _MAX_SUBJECT_WORDS:
        return ""
    return body[: spans[verbs[0]][1]].strip(" ,")


def _antecedent(left: str) -> str | None:
    """The thing that ", which" speaks of: the noun phrase or name right before it."""
    found = _DETERMINED.search(left) or _NAMED.search(left)
    if found is None:
        return None
    words = found.group().split()
    return " ".join(["The", *words[1:]]) if words[0].lower() in ("a", "an", "the") else found.group()


def _assembled(part: str, subject: str, *, is_first: bool) -> str:
    if is_first:
        return part
    words = _words(part)
    lead = 1 if words and words[0] in _LEADS else 0
    if subject and words and words[0] in _PRONOUNS:
        return _with_subject(part, subject)
    if subject and words and is_finite(words, lead):
        return f"{subject} {part}"
    return part


def _shared_out(part: str, first: str) -> str:
    """ "Five of the singers fell ill, and six died": the six are singers too."""
    share, words = _SHARE_OF.match(first), part.split(" ", 1)
    if share is None or len(words) < 2 or not _NUMBER_WORD.match(words[0]) or words[1].startswith("of "):
        return part
    return f"{words[0]} {share.group(1)} {words[1]}"


def _with_subject(part: str, subject: str) -> str:
    return re.sub(r"^\S+", lambda _: subject, part, count=1)


def _name_like(subject: str) -> str:
    """A subject that a pronoun of the next sentence may mean."""
    return subject if 0 < len(subject.split()) <= 6 else ""


def _words(text: str) -> list[str]:
    """Words in lowercase, but for names: "Alfred" is no past tense."""
    return [_plain(match.group()) for match in _WORD.finditer(text)]


def _plain(word: str) -> str:
    return word.lower() if word.lower() in STOP_WORDS else word


def _finished(part: str) -> str:
    trimmed = part.strip(" ,;")
    return trimmed[:1].upper() + trimmed[1:] + ("" if trimmed.endswith((".", "!", "?")) else ".")
