"""How much faster a claim is answered that was decided before: first-time and repeated claims through the same stages.

Every stage runs as in a worker, on the embedded stores and the local models, with the sample web on loopback; only the
broker is left out, which would favour the repeated claims further (they take one hop instead of five or more). Both
kinds are sent in one run, sixteen at a time, first-time claims first and then all of them again under new ids, as many
times as asked. Prints one JSON object.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# Run as a script, this folder comes first on the path, and its `scoring.py` would hide the package.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import samples
from agents.claims.package import VerdictPackage
from agents.claims.package.audit import audit
from agents.claims.submission import Submission
from agents.services import Services
from streams.bootstrap import open_services
from streams.embedded.sample_web import serve
from streams.embedded.samples import load_knowledge_base, trusting_the_town
from streams.settings import Settings
from streams.topology import STAGES

STAGE_OF = {stage.reads.name: stage for stage in STAGES}
AT_ONCE = 16
WANTED = 20.0


async def journey(submission: Submission, services: Services) -> VerdictPackage:
    """From submission to verdict, every stage in its turn; the parts of a decomposed claim one after the other."""
    waiting: list[tuple[str, Any]] = [("claims", submission)]
    while waiting:
        topic, value = waiting.pop(0)
        for send in (await STAGE_OF[topic].handle(value, services)).sends:
            if send.to == "verdicts":
                return VerdictPackage.model_validate_json(send.value)
            waiting.append((send.to, send.value))
    raise RuntimeError(f"{submission.job_id} ended without a verdict")


async def timed(claims: Sequence[Submission], services: Services) -> tuple[dict[str, float], list[VerdictPackage]]:
    """All of them, `AT_ONCE` at a time: claims per second, and processor time per claim."""
    limit = asyncio.Semaphore(AT_ONCE)

    async def one(submission: Submission) -> VerdictPackage:
        async with limit:
            return await journey(submission, services)

    clock, processor = time.perf_counter(), time.process_time()
    packages = await asyncio.gather(*map(one, claims))
    seconds, spent = time.perf_counter() - clock, time.process_time() - processor
    figures = {
        "claims": len(claims),
        "seconds": round(seconds, 3),
        "claims_per_second": round(len(claims) / seconds, 1),
        "cpu_ms_per_claim": round(1000 * spent / len(claims), 2),
    }
    return figures, packages


async def measure(embedder: str, rounds: int) -> dict[str, Any]:
    """One run in a folder of its own."""
    texts = [claim.claim for claim in samples.load().claims]
    with tempfile.TemporaryDirectory() as folder:
        async with serve() as origin:
            options: dict[str, Any] = {"data_dir": Path(folder), "sample_web_url": origin, "embedded": True}
            settings = trusting_the_town(Settings(**options, embedder=embedder))
            await load_knowledge_base(settings)
            async with open_services(settings) as services:
                await services.embedder.embed(["warm"])
                first, told = await timed(
                    [Submission(job_id=f"first-{n}", claim=text) for n, text in enumerate(texts)], services
                )
                again, repeated = await timed(
                    [
                        Submission(job_id=f"again-{turn}-{n}", claim=text)
                        for turn in range(rounds)
                        for n, text in enumerate(texts)
                    ],
                    services,
                )
    kinds = Counter(package.match.kind if package.match else "none" for package in repeated)
    faster = again["claims_per_second"] / first["claims_per_second"]
    return {
        "embedder": embedder,
        "at_once": AT_ONCE,
        "first_time": first,
        "repeated": again,
        "repeated_matched": dict(kinds),
        "first_time_matched": sum(package.match is not None for package in told),
        "audit_differences": sum(len(audit(package)) for package in repeated[: len(texts)]),
        "times_as_fast": round(faster, 1),
        "wanted": WANTED,
        "met": faster >= WANTED,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", choices=("bge-small", "static"), default="bge-small")
    parser.add_argument("--rounds", type=int, default=20, help="how often every claim is repeated")
    given = parser.parse_args()
    print(json.dumps(asyncio.run(measure(given.embedder, given.rounds)), indent=2))


if __name__ == "__main__":
    main()
