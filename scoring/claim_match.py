"""What the ranker reads from one candidate's text, held against a claim that was taken apart once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.anchors import anchors as extract_anchors
from scoring.claim_parts import ClaimParts, claim_parts
from scoring.claim_types import ClaimProfile, profile
from scoring.ranking_score import TextFacts
from scoring.text import content_stems
from scoring.text.cues import cues
from scoring.text.lexicon import word_set
from scoring.text.overlap import Lookup, Passage, StemQuery, TermQuery
from scoring.values import Candidate, Triple

# Relations that hold in both directions: reading them backwards is no mistake.
_SYMMETRIC = word_set(
    "married marries marry spouse sibling sister brother twin borders border neighbor neighbour neighbours adjacent"
    " met meets partner partners related similar equals equal same associated merged allied"
)


@dataclass(frozen=True, slots=True)
class ClaimQuery:
    """A claim prepared for many candidates: each text is cut into words once and its words are looked up once."""

    profile: ClaimProfile
    stems: frozenset[str]
    parts: ClaimParts
    entities: TermQuery
    subject_names: TermQuery
    anchors: TermQuery
    lookup: Lookup
    focus_window: int

    @classmethod
    def of(
        cls, claim: str, entities: Sequence[str], anchors: Sequence[str], domain: str, focus_window: int
    ) -> "ClaimQuery":
        stems, parts = content_stems(claim), claim_parts(claim)
        names = TermQuery.of(entities)
        terms = TermQuery.of(anchors or extract_anchors(claim))
        in_subject = [name for name in entities if (own := content_stems(name)) and own <= parts.subject]
        lookup = Lookup(StemQuery.of(stems | names.stems.stems | terms.stems.stems))
        return cls(profile(claim, domain), stems, parts, names, TermQuery.of(in_subject), terms, lookup, focus_window)

    def match(self, candidate: Candidate) -> TextFacts:
        """Reads title and text together: the title often names what the text calls "it"."""
        passage = Passage.of(f"{candidate.title}\n{candidate.text}" if candidate.title else candidate.text)
        words = self.lookup.words_in(passage.words)
        found = frozenset(words.values())
        no_subject = self._no_subject(passage, found)
        no_object = bool(self.parts.object) and self.parts.object.isdisjoint(found)
        wording = cues(passage)
        reverse, other_object = self._relation(candidate.triple)
        return TextFacts(
            word_count=len(passage.tokens),
            entity_overlap=self.entities.match_found(passage, found),
            claim_overlap=len(self.stems & found) / len(self.stems) if self.stems else 0.0,
            anchor_match_score=self.anchors.match_found(passage, found),
            object_mismatch=no_object,
            claim_focus_mismatch=not no_subject and not no_object and self._apart(passage, words),
            subject_mismatch=no_subject,
            relation_object_mismatch=other_object,
            relation_direction_mismatch=reverse,
            reporting_style=wording.reporting_style,
            uncertain_wording=wording.uncertain_wording,
            low_signal=wording.low_signal,
            negation_differs=wording.negated != self.profile.negated,
        )

    def _no_subject(self, passage: Passage, found: frozenset[str]) -> bool:
        if not self.parts.subject or not self.parts.subject.isdisjoint(found):
            return False
        return self.subject_names.match_found(passage, found) == 0.0  # its acronym would do

    def _apart(self, passage: Passage, words: Mapping[str, str]) -> bool:
        """Whether subject and object, both mentioned, never come close enough to be one statement."""
        window = self.focus_window
        if len(passage.tokens) <= window or not self.parts.subject or not self.parts.object:
            return False
        last_subject = last_object = None
        for index, token in enumerate(passage.tokens):
            if token not in words:
                continue
            one = words[token]
            if one in self.parts.subject:
                last_subject = index
            elif one in self.parts.object:
                last_object = index
            if last_subject is not None and last_object is not None and abs(last_subject - last_object) <= window:
                return False
        return last_subject is not None  # a subject known only by its acronym has no place to measure from

    def _relation(self, triple: Triple | None) -> tuple[bool, bool]:
        """For a triple of the graph: whether it runs backwards, and whether its object is another one."""
        if triple is None or not self.parts.subject or not self.parts.object:
            return False, False
        subject, target = content_stems(triple.subject), content_stems(triple.object)
        parts = self.parts
        if not parts.object.isdisjoint(target):
            return False, False
        backwards = not parts.object.isdisjoint(subject) and not parts.subject.isdisjoint(target)
        if not backwards:
            return False, True
        symmetric = not _SYMMETRIC.isdisjoint(triple.relation.lower().replace("_", " ").split())
        return not symmetric, False
