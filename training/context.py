"""Changes to the passage around the evidence: padding sentences, titles, dates, reported and hedged speech."""

import random
from collections.abc import Sequence

from training.pairs import NEUTRAL, REFUTES, SUPPORTS, Pair, Target
from training.perturb import Operation
from training.text import coverage, sentences, starts_as_clause

PEOPLE = (
    "A spokesman", "The senator", "One blogger", "A former employee", "Her lawyer", "Some users", "The minister",
    "A viral post", "An anonymous source", "His opponents", "The company", "A caller", "Supporters", "A tabloid",
    "A podcaster", "The plaintiff", "Two neighbours", "A party leaflet", "The widow", "A columnist",
)  # fmt: skip
NEUTRAL_FRAMES = (
    "{who} claimed that {c}.", "{who} alleged that {c}, without giving evidence.", "Rumour has it that {c}.",
    "{who} believes that {c}.", "It is unclear whether {c}.", "It has been suggested that {c}.",
    "It is possible that {c}.", "Nobody knows whether {c}.", "{who} asked whether {c}.",
    "There is speculation that {c}.", "{who} hopes that {c}.", "Whether {c} remains to be seen.",
    "If it turns out that {c}, much would change.", "Further studies are needed to find out whether {c}.",
    "{who} told a newspaper that {c}, but showed no documents.", "{who} has long argued that {c}.",
    "On social media {who} wrote that {c}.", "{who} swears that {c}. No one else has confirmed it.",
    "{who} suspects that {c}; the matter is being looked into.", "{who} accused officials of hiding that {c}.",
    "In the interview {who} repeated that {c}.", "{who} thinks that {c}.",
)  # fmt: skip
REFUTING_FRAMES = (
    "It is not true that {c}.", "The claim that {c} is false.", "{who} falsely claimed that {c}.",
    "Fact-checkers found no truth in the statement that {c}.", "The rumour that {c} has been debunked.",
    "Contrary to what {who} said, it is wrong that {c}.", "Investigators ruled out that {c}.",
    "There is no evidence that {c}; the opposite was shown.",
    "Rumours that {c} are untrue, officials said.", "The report that {c} was a fabrication.",
    "Police denied that {c}.", "A review found that the allegation that {c} was unfounded.",
    "The newspaper retracted its story that {c}.", "It is a myth that {c}.",
)  # fmt: skip
SUPPORTING_FRAMES = (
    "It is well established that {c}.", "Records show that {c}.", "The study found that {c}.",
    "It was confirmed that {c}.", "As measurements proved, {c}.", "Official figures confirm that {c}.",
)  # fmt: skip
FRAMES: Sequence[tuple[Target, Sequence[str], float]] = (
    (NEUTRAL, NEUTRAL_FRAMES, 0.5),
    (REFUTES, REFUTING_FRAMES, 0.25),
    (SUPPORTS, SUPPORTING_FRAMES, 0.25),
)


def frame(pair: Pair, draw: random.Random) -> Pair | None:
    """The claim, or a short passage that bears it out, inside words that assert, deny or merely report it."""
    short = len(pair.evidence.split()) <= 35 and pair.evidence.count(".") <= 1 and pair.label == 0
    inner = pair.evidence if short and draw.random() < 0.5 else pair.claim
    target, frames, _ = draw.choices(FRAMES, weights=[share for _, _, share in FRAMES])[0]
    evidence = draw.choice(frames).format(who=draw.choice(PEOPLE), c=starts_as_clause(inner))
    return pair.changed(evidence=evidence[:1].upper() + evidence[1:], target=target, not_supported=False)


def pad(pool: Sequence[str], most: int = 4) -> Operation:
    """Sentences of other passages before and after the evidence; the label stays."""

    def operation(pair: Pair, draw: random.Random) -> Pair | None:
        around = [part for _ in range(draw.randint(1, most)) for part in sentences(draw.choice(pool))[:2]]
        if not around:
            return None
        cut = draw.randint(0, len(around))
        return pair.changed(evidence=" ".join((*around[:cut], pair.evidence, *around[cut:])))

    return operation


def with_title(pair: Pair, draw: random.Random) -> Pair:
    """The page's title before the passage, in one of the shapes titles come in."""
    title = pair.group.replace("-LRB-", "(").replace("-RRB-", ")")
    shape = draw.choice(("{t}. {e}", "{t} . {e}", "{t}: {e}", "{t} ({d}). {e}"))
    return pair.changed(evidence=shape.format(t=title, d=_some_date(draw), e=pair.evidence))


def with_date(pair: Pair, draw: random.Random) -> Pair:
    """A date of publication before the passage: there to be looked past unless the claim is about dates."""
    return pair.changed(evidence=f"({_some_date(draw)}) {pair.evidence}")


def _some_date(draw: random.Random) -> str:
    return f"{draw.randint(2005, 2025)}-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}"


def without_key_sentence(pair: Pair, draw: random.Random) -> Pair | None:
    """A long passage less the sentences that speak of the claim: probably neutral now."""
    parts = sentences(pair.evidence)
    if len(parts) < 4 or draw.random() < 0.2:
        return None
    kept = [part for part in parts if coverage(pair.claim, part) < 0.3]
    if not 2 <= len(kept) < len(parts):
        return None
    return pair.changed(
        evidence=" ".join(kept), target=(0.1, 0.05, 0.85), not_supported=False, weight=0.7 * pair.weight
    )
