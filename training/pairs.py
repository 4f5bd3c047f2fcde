"""Labelled pairs: reading them from the data folder and turning their labels into training targets."""

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

CLASSES = ("supports", "refutes", "neutral")
Target = tuple[float, float, float]
SUPPORTS: Target = (1.0, 0.0, 0.0)
REFUTES: Target = (0.0, 1.0, 0.0)
NEUTRAL: Target = (0.0, 0.0, 1.0)
TARGETS: Mapping[str, Target] = {"SUPPORTS": SUPPORTS, "REFUTES": REFUTES, "NEI": NEUTRAL}

CONTRADICTION = {"SUPPORTS", "REFUTES"}

# Citation-Integrity masks the citation itself; the mask says nothing about the claim.
CITATION_MARK = re.compile(r"\s*[\[(]?\s*<\|[a-z_]*cit\|>[^\])]{0,40}[\])]?|<\|[a-z_]*cit\|>")


@dataclass(frozen=True, slots=True)
class Pair:
    """One claim beside one passage; with `not_supported` only P(supports) is known (it should be low)."""

    claim: str
    evidence: str
    target: Target
    source: str
    group: str = ""
    not_supported: bool = False
    weight: float = 1.0

    @property
    def label(self) -> int:
        """Index of the likeliest class, -1 where refuting and neutral are not told apart."""
        return -1 if self.not_supported else max(range(3), key=self.target.__getitem__)

    def changed(self, **fields: object) -> "Pair":
        """A copy with other claim, evidence or target."""
        return replace(self, **fields)  # type: ignore[arg-type]  # replace() checks the names, not the types


@dataclass(frozen=True, slots=True)
class SourceRule:
    """How one training set is used."""

    rate: float = 1.0
    """How often each pair is seen per epoch; the fraction is drawn anew every epoch."""
    refutes_is_not_supported: bool = False
    """For sets whose REFUTES only means that the passage does not bear the claim out."""
    weight: float = 1.0
    perturb: float = 1.0
    """Multiplies the share of this source's supported pairs that also come perturbed."""


@dataclass(frozen=True, slots=True)
class DevPair:
    """One labelled pair of a dev set; `label` keeps the set's own word (PARTIAL included)."""

    claim: str
    evidence: str
    label: str


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Everything that is learned from, by source, and what was left out because a dev claim occurs in it."""

    by_source: Mapping[str, Sequence[Pair]]
    rules: Mapping[str, SourceRule]
    left_out: Mapping[str, int] = field(default_factory=dict)


def normalised(text: str) -> str:
    """Lower case, letters and digits only: two spellings of one claim become equal."""
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def read_rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of one gzipped JSON-lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def read_dev(folder: Path, limit: int | None = None) -> dict[str, list[DevPair]]:
    """Every `dev_*` set of the folder; `limit` keeps the first pairs only (the tiny mode)."""
    sets: dict[str, list[DevPair]] = {}
    for path in sorted(folder.glob("dev_*.jsonl.gz")):
        rows = [DevPair(row["claim"], row["evidence"], row["label"]) for row in read_rows(path)]
        sets[path.name.removeprefix("dev_").removesuffix(".jsonl.gz")] = rows[:limit]
    return sets


def held_out_claims(folders: Iterable[Path]) -> set[str]:
    """Claims nothing may be learned from: the dev sets', and those of end-to-end sets beside them."""
    claims: set[str] = set()
    for folder in folders:
        for path in [*folder.glob("dev_*.jsonl.gz"), *folder.parent.glob("end_to_end/*.claims.jsonl.gz")]:
            claims.update(normalised(row["claim"]) for row in read_rows(path))
    return claims


def _to_pair(row: dict[str, str], source: str, rule: SourceRule) -> Pair:
    label = row["label"]
    unsure = label == "NOT_ENTAILED" or (label == "REFUTES" and rule.refutes_is_not_supported)
    claim = CITATION_MARK.sub("", row["claim"]).strip() if "cit|>" in row["claim"] else row["claim"]
    return Pair(
        claim=claim,
        evidence=row["evidence"],
        target=(0.0, 0.5, 0.5) if unsure else TARGETS[label],
        source=source,
        group=row.get("group", ""),
        not_supported=unsure,
        weight=rule.weight,
    )


def read_training(folders: Sequence[Path], rules: Mapping[str, SourceRule], limit: int | None = None) -> TrainingData:
    """Every `train_*` set a rule names, without duplicates and without any held-out claim.

    Of the same pair under several labels the decided one is kept (Check-COVID repeats decided pairs as NEI); a pair
    that is both supported and refuted is dropped.
    """
    forbidden = held_out_claims(folders)
    by_source: dict[str, list[Pair]] = {}
    left_out: dict[str, int] = {}
    for path in sorted(path for folder in folders for path in folder.glob("train_*.jsonl.gz")):
        source = path.name.removeprefix("train_").removesuffix(".jsonl.gz")
        rule = rules.get(source)
        if rule is None or rule.rate <= 0:
            continue
        labels: dict[tuple[str, str], set[str]] = {}
        first: dict[tuple[str, str], Pair] = {}
        for row in read_rows(path):
            pair = _to_pair(row, source, rule)
            key = (pair.claim, pair.evidence)
            if normalised(pair.claim) in forbidden:
                left_out[source] = left_out.get(source, 0) + 1
                continue
            known = first.get(key)
            if known is None or known.label in (-1, 2):
                first[key] = pair
            labels.setdefault(key, set()).add(row["label"])
        kept = [pair for key, pair in first.items() if not labels[key] >= CONTRADICTION]
        by_source[source] = kept[:limit]
    if not by_source:
        raise SystemExit("no training set found: --data must hold the train_*.jsonl.gz files that the config names")
    return TrainingData(by_source, rules, left_out)
