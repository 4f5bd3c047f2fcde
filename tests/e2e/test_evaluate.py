"""`veristream evaluate` and `veristream stance` as their users run them."""

import json
import os
from pathlib import Path

import pytest

from tests.support.processes import call
from tests.unit.stance.tiny_model import write_model

DATA = Path(__file__).parents[1] / "data" / "evaluation"
ENVIRONMENT = {**os.environ, "VERISTREAM_STANCE": "rules", "VERISTREAM_EMBEDDER": "static"}
pytestmark = pytest.mark.timeout(300)


def command(folder: Path, *more: str) -> list[str]:
    files = ["--claims", str(DATA / "claims.jsonl"), "--corpus", str(DATA / "corpus.jsonl")]
    return ["evaluate", *files, "--report", str(folder), *more]


def test_claims_are_streamed_measured_and_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    first = call(command(tmp_path / "report", "--limit", "3"), ENVIRONMENT)
    assert first.returncode == 0, first.stderr
    results = (tmp_path / "report" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(results) == 3

    again = call(command(tmp_path / "report"), ENVIRONMENT)
    assert again.returncode == 1
    assert "--resume" in again.stderr

    otherwise = call(command(tmp_path / "report", "--resume"), {**ENVIRONMENT, "VERISTREAM_POLICY": "specification"})
    assert otherwise.returncode == 1
    assert "begun with policy calibrated" in otherwise.stderr

    (tmp_path / "report" / "results.jsonl").write_text("\n".join(results) + '\n{"number": 3, "i', encoding="utf-8")
    rest = call(command(tmp_path / "report", "--resume"), ENVIRONMENT)
    assert rest.returncode == 0, rest.stderr
    report = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert report["facts"]["stance"] == "lexical-rules-1"
    assert report["summary"]["claims"] == 5
    # These claims repeat, change or negate a sentence of the corpus: rules are enough.
    assert report["summary"]["accuracy"] == 1.0
    # Of two pages that tell one story, the second comes after all others; ranking keeps both.
    assert report["summary"]["recall"]["retrieval"]["10"] == 1.0
    assert report["summary"]["recall"]["ranking"]["5"] == 1.0
    assert report["summary"]["loops"] == 0.0
    assert "<svg" in (tmp_path / "report" / "report.html").read_text(encoding="utf-8")


def test_a_bad_file_is_one_line(tmp_path: Path) -> None:
    claims = tmp_path / "claims.jsonl"
    claims.write_text('{"id": 1}\n', encoding="utf-8")
    refused = call(["evaluate", "--claims", str(claims), "--corpus", str(DATA / "corpus.jsonl")], ENVIRONMENT)
    assert refused.returncode == 1
    assert "claims.jsonl:1" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_stance_answers_line_by_line_and_names_what_it_cannot_read(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model", ("yes", "no"))
    given = '{"claim": "a claim", "evidence": "yes"}\nnonsense\n{"claim": "a claim", "evidence": "no"}\n'
    answered = call(["stance", "-"], {**os.environ, "VERISTREAM_STANCE_MODEL": str(folder)}, given=given.encode())
    assert answered.returncode == 1
    shares = [json.loads(line) for line in answered.stdout.splitlines()]
    assert [max(one, key=one.get) for one in shares] == ["supports", "refutes"]
    assert "line 2: expected" in answered.stderr
    assert "1 lines could not be read" in answered.stderr
