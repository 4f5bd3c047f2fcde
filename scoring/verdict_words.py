"""The two vocabularies for one verdict: 000's four verdicts and 004's four labels."""

from scoring.values import Label, SegmentStatus, Verdict

_LABELS = {
    Verdict.TRUE: Label.SUPPORTED,
    Verdict.FALSE: Label.REFUTED,
    Verdict.PARTIALLY_TRUE: Label.MIXED,
    Verdict.UNVERIFIABLE: Label.NOT_ENOUGH,
}
_VERDICTS = {label: verdict for verdict, label in _LABELS.items()}
_STATUSES = {
    Verdict.TRUE: SegmentStatus.VALID,
    Verdict.FALSE: SegmentStatus.INVALID,
    Verdict.PARTIALLY_TRUE: SegmentStatus.PARTIALLY_VALID,
    Verdict.UNVERIFIABLE: SegmentStatus.UNKNOWN,
}


def label_of(verdict: Verdict, *, conflict: bool = False) -> Label:
    """The label of a verdict; UNVERIFIABLE because sources conflict is Mixed/Disputed."""
    if conflict and verdict is Verdict.UNVERIFIABLE:
        return Label.MIXED
    return _LABELS[verdict]


def verdict_of(label: Label) -> Verdict:
    """The verdict of a label; Mixed/Disputed without more is PARTIALLY_TRUE."""
    return _VERDICTS[label]


def status_of(verdict: Verdict) -> SegmentStatus:
    """A sub-claim's verdict as the status of a part of its parent."""
    return _STATUSES[verdict]
