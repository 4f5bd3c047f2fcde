"""How well the evidence covers each part of a claim, and what it says of that part (000 §5.1, 001).

A refuted part is covered as much as a confirmed one. A part that no passage speaks about is UNKNOWN, never INVALID.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scoring.anchors import anchors as extract_anchors
from scoring.checks import clamp, finite, unit
from scoring.derivation import Derivation, Recorder
from scoring.inputs import Inputs, count, numbers
from scoring.polarity import DECISIVE, PolarityPolicy, Relation, admissible, probability, relation, story
from scoring.text import content_stems
from scoring.text.overlap import Passage, StemQuery, TermQuery
from scoring.values import Evidence, SegmentStatus, Stance

Stances = Mapping[str, Mapping[str, Stance]]
"""Stances towards single subclaims: subclaim text, then evidence id. Where one is missing, the claim's holds."""


@dataclass(frozen=True, slots=True)
class CoveragePolicy:
    """001 names the signals and the two thresholds but gives no numbers; these are ours."""

    # Anchors weigh most: they are what tells a passage about this subclaim from one about its topic. The calibrated
    # similarity comes next because it alone sees paraphrases, and plain word overlap last.
    w_anchor: float = 0.40
    w_semantic: float = 0.35
    w_overlap: float = 0.25
    # A restatement scores about 0.85, a paraphrase about 0.55 and another fact about the same name about 0.25.
    strong_match: float = 0.55
    partial_match: float = 0.35
    # A triple has lost the context of its sentence, so it matches a little less than a sentence would.
    kg_factor: float = 0.80
    strong_weight: float = 1.0
    partial_weight: float = 0.5
    # What is left of the weight when the passage is on the subject but only leans, or takes no side at all.
    qualified_factor: float = 0.5
    neutral_factor: float = 0.25
    # A stance keeps at least this share of its strength however loosely the words match: the stance model has read
    # the passage, the match has only counted words.
    stance_share: float = 0.5
    # Both sides this close together: the sources disagree and the part stays open.
    contested_margin: float = 0.15
    # STRONGLY_VALID means corroborated: two stories that are not copies of each other.
    corroborating_stories: int = 2

    def __post_init__(self) -> None:
        for name in ("strong_match", "partial_match", "kg_factor", "strong_weight", "partial_weight",
                     "qualified_factor", "neutral_factor", "stance_share", "contested_margin"):  # fmt: skip
            unit(name, getattr(self, name))
        weights = (self.w_anchor, self.w_semantic, self.w_overlap)
        if min(weights) < 0 or abs(sum(finite("weights", w) for w in weights) - 1.0) > 1e-9:
            raise ValueError(f"w_anchor, w_semantic and w_overlap must add up to 1, got {weights!r}")
        if self.partial_match > self.strong_match:
            raise ValueError(f"partial_match must not exceed strong_match, got {self.partial_match!r}")


DEFAULT = CoveragePolicy()


@dataclass(frozen=True, slots=True)
class Link:
    """One passage that speaks about one subclaim: how closely, on which side, how strongly."""

    evidence_id: str
    story: str
    relation: Relation
    match: float
    strength: float
    weight: float
    anchor_overlap: float
    overlap_ratio: float


@dataclass(frozen=True, slots=True)
class Segment:
    """One subclaim with its status: a row of the claim breakdown; its links are rows of the evidence map."""

    text: str
    status: SegmentStatus
    weight: float = 0.0
    strength: float = 0.0
    support: float = 0.0
    contradiction: float = 0.0
    contested: bool = False
    best_evidence_id: str = ""
    anchors: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def supporting_ids(self) -> tuple[str, ...]:
        return tuple(link.evidence_id for link in self.links if link.relation is Relation.SUPPORTS)

    @property
    def refuting_ids(self) -> tuple[str, ...]:
        return tuple(link.evidence_id for link in self.links if link.relation is Relation.CONTRADICTS)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The segments and `coverage = sum(weight) / number_of_subclaims` as a derivation."""

    segments: tuple[Segment, ...]
    derivation: Derivation

    @property
    def value(self) -> float:
        return self.derivation.value


def compute_subclaim_coverage(
    subclaims: Sequence[str],
    evidence: Sequence[Evidence],
    policy: CoveragePolicy = DEFAULT,
    polarity: PolarityPolicy | None = None,
    *,
    proposed_anchors: Mapping[str, Sequence[str]] | None = None,
    stances: Stances | None = None,
) -> Coverage:
    """Every subclaim against every admissible passage. Linear in passages times subclaims."""
    readers = [
        _Reader.of(
            subclaim,
            extract_anchors(subclaim, (proposed_anchors or {}).get(subclaim, ())),
            (stances or {}).get(subclaim, {}),
            policy,
            polarity or PolarityPolicy(),
        )
        for subclaim in subclaims
    ]
    passages = _passages(evidence, readers)
    segments = tuple(
        judge_segment(reader.subclaim, reader.links(passages), policy, anchors=reader.anchors) for reader in readers
    )
    return Coverage(segments, weighted_coverage([segment.weight for segment in segments]))


def weighted_coverage(weights: Sequence[float]) -> Derivation:
    """`coverage = sum(detail.weight) / number_of_subclaims`; a claim without subclaims is not covered."""
    recorder = Recorder(weights=tuple(unit("weight", w) for w in weights), number_of_subclaims=len(weights))
    recorder.set("weight_sum", sum(weights))
    if weights:
        recorder.multiply("per_subclaim", 1.0 / len(weights))
    recorder.clamp()
    return recorder.derivation()


def recompute_coverage(inputs: Inputs) -> Derivation:
    """The same derivation from its inputs alone."""
    weights = numbers(inputs, "weights")
    if count(inputs, "number_of_subclaims") != len(weights):
        raise ValueError(f"number_of_subclaims must be the number of weights, {len(weights)}")
    return weighted_coverage(weights)


def match_score(
    anchor: float, overlap: float, similarity: float, policy: CoveragePolicy = DEFAULT, *, triple: bool = False
) -> float:
    """How closely a passage speaks about a subclaim, whatever it says of it."""
    score = policy.w_anchor * anchor + policy.w_semantic * similarity + policy.w_overlap * overlap
    return clamp(score * policy.kg_factor if triple else score)


@dataclass(frozen=True, slots=True)
class _Read:
    """A passage with the stems of all subclaims that were found in it: every word is looked up once."""

    item: Evidence
    passage: Passage
    found: frozenset[str]
    similarity: float
    """A triple has no text similarity of its own, so the graph's score stands in for it."""


def _passages(evidence: Iterable[Evidence], readers: Sequence["_Reader"]) -> list[_Read]:
    query = StemQuery.of(stem for reader in readers for stem in reader.stems | reader.names.stems.stems)
    passages = [(item, Passage.of(item.text)) for item in admissible(evidence)]
    return [
        _Read(item, passage, query.found_in(passage.words), max(unit("semantic", item.semantic), unit("kg", item.kg)))
        for item, passage in passages
    ]


@dataclass(frozen=True, slots=True)
class _Reader:
    """One subclaim prepared once, to be held against every passage."""

    subclaim: str
    anchors: tuple[str, ...]
    stems: frozenset[str]
    names: TermQuery
    stances: Mapping[str, Stance]
    policy: CoveragePolicy
    polarity: PolarityPolicy

    @classmethod
    def of(
        cls,
        subclaim: str,
        anchors: tuple[str, ...],
        stances: Mapping[str, Stance],
        policy: CoveragePolicy,
        polarity: PolarityPolicy,
    ) -> "_Reader":
        return cls(subclaim, anchors, content_stems(subclaim), TermQuery.of(anchors), stances, policy, polarity)

    def links(self, passages: Iterable[_Read]) -> list[Link]:
        """The passages that speak about the subclaim."""
        return [link for read in passages if (link := self.link(read)) is not None]

    def link(self, read: _Read) -> Link | None:
        policy, item = self.policy, read.item
        overlap = len(self.stems & read.found) / len(self.stems) if self.stems else 0.0
        anchor = self.names.match_found(read.passage, read.found)
        match = match_score(anchor, overlap, read.similarity, policy, triple=item.origin == "kg")
        if match < policy.partial_match:
            return None
        stance = self.stances.get(item.id, item.stance)
        side = relation(stance, self.polarity)
        band = policy.strong_weight if match >= policy.strong_match else policy.partial_weight
        return Link(
            evidence_id=item.id,
            story=story(item),
            relation=side,
            match=match,
            strength=probability(stance, side, self.polarity)
            * (policy.stance_share + (1.0 - policy.stance_share) * match),
            weight=band * _stance_factor(side, policy),
            anchor_overlap=anchor,
            overlap_ratio=overlap,
        )


def _stance_factor(side: Relation, policy: CoveragePolicy) -> float:
    if side in DECISIVE:
        return 1.0
    return policy.qualified_factor if side is Relation.QUALIFIES else policy.neutral_factor


def judge_segment(
    text: str, links: Sequence[Link], policy: CoveragePolicy = DEFAULT, *, anchors: tuple[str, ...] = ()
) -> Segment:
    """What a part's links amount to: its status, weight and the strength of both sides."""
    ordered = tuple(sorted(links, key=lambda link: (-link.weight, -link.strength, link.evidence_id)))
    support = max((link.strength for link in ordered if link.relation is Relation.SUPPORTS), default=0.0)
    contradiction = max((link.strength for link in ordered if link.relation is Relation.CONTRADICTS), default=0.0)
    contested = min(support, contradiction) > 0 and abs(support - contradiction) < policy.contested_margin
    return Segment(
        text=text,
        status=SegmentStatus.UNKNOWN if contested else _status(ordered, support, contradiction, policy),
        weight=ordered[0].weight if ordered else 0.0,
        strength=ordered[0].strength if ordered else 0.0,
        support=support,
        contradiction=contradiction,
        contested=contested,
        best_evidence_id=ordered[0].evidence_id if ordered else "",
        anchors=anchors,
        links=ordered,
    )


def _status(links: Sequence[Link], support: float, contradiction: float, policy: CoveragePolicy) -> SegmentStatus:
    """The stronger side names the status; a weaker voice on the other side, or a loose match, makes it partial."""
    if support == contradiction:
        return SegmentStatus.UNKNOWN
    if support > contradiction:
        stories = _strong_stories(links, Relation.SUPPORTS, policy)
        if contradiction > 0 or not stories:
            return SegmentStatus.PARTIALLY_VALID
        corroborated = stories >= policy.corroborating_stories
        return SegmentStatus.STRONGLY_VALID if corroborated else SegmentStatus.VALID
    if support > 0 or not _strong_stories(links, Relation.CONTRADICTS, policy):
        return SegmentStatus.PARTIALLY_INVALID
    return SegmentStatus.INVALID


def _strong_stories(links: Sequence[Link], side: Relation, policy: CoveragePolicy) -> int:
    """How many independent stories take this side and match closely."""
    return len({link.story for link in links if link.relation is side and link.match >= policy.strong_match})
