"""Two more training sets of scientific pairs, made from public repositories that are not part of the data folder.

`train_evidence_inference` turns the prompts of Evidence Inference 2.0 (intervention, comparator, outcome, and what
the trial found) into claims; `train_abstract_conclusions` takes the conclusion of a structured abstract as a claim
that the same abstract's results bear out, its reversal as one that they refute.

    python -m training.extra_sets --evidence-inference CLONE --pubmedqa ori_pqal.json --out DIR
"""

import argparse
import csv
import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from training.pairs import SUPPORTS, Pair
from training.perturb import flip_antonym, negate_claim
from training.text import coverage, sentences

Row = dict[str, str]
SECTION = re.compile(r"^(?:ABSTRACT\.)?([A-Z][A-Z &,/'-]{3,60}?):\s*$", re.MULTILINE)
RESULT_SECTION = re.compile(r"RESULT|FINDING|OUTCOME")
CONCLUSION_SECTION = re.compile(r"CONCLUSION|INTERPRETATION")
OPENING_SECTION = re.compile(r"BACKGROUND|INTRODUCTION|OBJECTIVE|PURPOSE|AIM|METHOD|DESIGN|SETTING|PARTICIPANT")
FINDS = {
    "significantly increased": ("increases", "raises", "leads to higher"),
    "significantly decreased": ("decreases", "reduces", "lowers"),
}
KNOWN = {*FINDS, "no significant difference"}
LONGEST_INTERVENTION = 160
"""Characters; longer ones are protocols, not what a claim would say."""
MORE_STUDIES = re.compile(r"\b(further|future|more) (studies|research|trials)")
OPENING_WORDS = re.compile(r"^(In conclusion|Conclusions?|Thus|Therefore|However|We conclude that|Overall),?\s*")
NO_CHANGE = (
    "There is no significant difference in {o} between {i} and {c}.",
    "{i} does not change {o} compared with {c}.",
    "{i} has no effect on {o}.",
)
CHANGE = ("{i} {v} {o} compared with {c}.", "{i} {v} {o}.", "Compared with {c}, {i} {v} {o}.")


def _sentence(template: str, prompt: Row, verb: str = "") -> str:
    words = {"i": prompt["Intervention"], "c": prompt["Comparator"], "o": prompt["Outcome"], "v": verb}
    claim = template.format(**{name: re.sub(r"\s+", " ", text).strip(" .") for name, text in words.items()})
    return claim[:1].upper() + claim[1:]


def _claims(prompt: Row, finding: str, draw: random.Random) -> Iterator[tuple[str, str]]:
    """Claims about one prompt with their labels, given what the trial found."""
    for outcome, verbs in FINDS.items():
        label = "SUPPORTS" if outcome == finding else "REFUTES"
        yield _sentence(draw.choice(CHANGE), prompt, draw.choice(verbs)), label
    yield _sentence(draw.choice(NO_CHANGE), prompt), "SUPPORTS" if finding.startswith("no ") else "REFUTES"


def _readable(passage: str) -> bool:
    """Prose, not a row of a table."""
    letters = sum(character.isalpha() or character.isspace() for character in passage)
    return len(passage.split()) >= 10 and letters / max(1, len(passage)) > 0.72


def _best_annotations(path: Path) -> dict[str, Row]:
    """One annotation per prompt: valid, readable, the shortest of them."""
    best: dict[str, Row] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            passage = re.sub(r"\s+", " ", row["Annotations"]).strip()
            valid = row["Valid Label"] == "True" and row["Valid Reasoning"] == "True"
            known = best.get(row["PromptID"])
            if valid and _readable(passage) and (known is None or len(passage) < len(known["Annotations"])):
                best[row["PromptID"]] = {**row, "Annotations": passage}
    return best


def evidence_inference(clone: Path, draw: random.Random) -> list[Row]:
    """Claims from prompts, beside the passage that decides them or one about another outcome of the same trial."""
    with (clone / "annotations/prompts_merged.csv").open(encoding="utf-8", newline="") as lines:
        prompts = {row["PromptID"]: row for row in csv.DictReader(lines)}
    best = _best_annotations(clone / "annotations/v2_annotations.csv")
    of_article: dict[str, list[str]] = defaultdict(list)
    for key, row in best.items():
        of_article[row["PMCID"]].append(key)
    rows: list[Row] = []
    for key, row in best.items():
        prompt = prompts.get(key)
        if prompt is None or len(prompt["Intervention"]) > LONGEST_INTERVENTION or row["Label"] not in KNOWN:
            continue
        claims = list(_claims(prompt, row["Label"], draw))
        supported = [claim for claim in claims if claim[1] == "SUPPORTS"]
        refuted = draw.choice([claim for claim in claims if claim[1] == "REFUTES"])
        rows += [_row(claim, row["Annotations"], label, row["PMCID"]) for claim, label in (*supported, refuted)]
        others = [best[other]["Annotations"] for other in of_article[row["PMCID"]] if other != key]
        apart = [passage for passage in others if coverage(prompt["Outcome"], passage) < 0.34]
        if apart:
            rows.append(_row(draw.choice(claims)[0], draw.choice(apart), "NEI", row["PMCID"]))
    return rows


def _row(claim: str, evidence: str, label: str, group: str) -> Row:
    return {"split": "train", "claim": claim, "evidence": evidence, "label": label, "group": group}


def sections(abstract: str) -> dict[str, str]:
    """A structured abstract by its headings."""
    parts = SECTION.split(abstract)
    return {
        head.strip(): re.sub(r"\s+", " ", body).strip() for head, body in zip(parts[1::2], parts[2::2], strict=False)
    }


def _clear_statement(text: str) -> str | None:
    """The first sentence of a conclusion, if it states something in few words."""
    for sentence in sentences(text)[:2]:
        if 6 <= len(sentence.split()) <= 32 and not MORE_STUDIES.search(sentence):
            return OPENING_WORDS.sub("", sentence)
    return None


def _conclusion_rows(parts: dict[str, str], group: str, draw: random.Random) -> Iterator[Row]:
    results = " ".join(body for head, body in parts.items() if RESULT_SECTION.search(head))
    opening = " ".join(body for head, body in parts.items() if OPENING_SECTION.search(head))
    claim = next((_clear_statement(body) for head, body in parts.items() if CONCLUSION_SECTION.search(head)), None)
    if claim is None or len(results.split()) < 15:
        return
    claim = claim[:1].upper() + claim[1:]
    yield _row(claim, results, "SUPPORTS", group)
    pair = Pair(claim, results, SUPPORTS, "conclusions")
    reversed_pair = flip_antonym(pair, draw) or negate_claim(pair, draw)
    if reversed_pair is not None:
        yield _row(reversed_pair.claim, results, "REFUTES", group)
    if len(opening.split()) > 20 and coverage(claim, opening) < 0.7:
        yield _row(claim, opening, "NEI", group)


def abstract_conclusions(clone: Path | None, pubmedqa: Path | None, draw: random.Random) -> list[Row]:
    """Conclusions as claims: borne out by the results, reversed, and beside what came before the results."""
    rows: list[Row] = []
    for path in sorted((clone / "annotations/abstracts").glob("*.abst")) if clone else []:
        rows += _conclusion_rows(sections(path.read_text(encoding="utf-8")), path.stem, draw)
    for key, item in (json.loads(pubmedqa.read_text(encoding="utf-8")) if pubmedqa else {}).items():
        parts: dict[str, str] = {}
        for head, body in zip(item["LABELS"], item["CONTEXTS"], strict=True):
            parts[head] = f"{parts.get(head, '')} {body}".strip()
        rows += _conclusion_rows({**parts, "CONCLUSIONS": item["LONG_ANSWER"]}, key, draw)
    return rows


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Gzipped JSON lines without a time stamp, so that the same input gives the same bytes."""
    with path.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as packed:
        for row in rows:
            packed.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
    print(f"{path.name}: {len(rows)} pairs")


def main() -> None:
    """Write the two sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evidence-inference", type=Path, help="a clone of jayded/evidence-inference")
    parser.add_argument("--pubmedqa", type=Path, help="ori_pqal.json of pubmedqa/pubmedqa")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=13)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.evidence_inference:
        rows = evidence_inference(args.evidence_inference, random.Random(args.seed))
        write_rows(args.out / "train_evidence_inference.jsonl.gz", rows)
    rows = abstract_conclusions(args.evidence_inference, args.pubmedqa, random.Random(args.seed))
    write_rows(args.out / "train_abstract_conclusions.jsonl.gz", rows)


if __name__ == "__main__":
    main()
