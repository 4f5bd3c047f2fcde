"""The report of an evaluation as one HTML file that needs nothing else."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from agents.evaluation import plots
from agents.evaluation.cases import Gold
from agents.evaluation.measures import Summary, answer_of, is_wrong
from agents.evaluation.results import CAUSES, CaseResult, Cause

SHOWN_ERRORS = 200
"""Wrong answers listed; all of them are in results.jsonl."""

STYLE = """
:root { color-scheme: light dark; --paper:#fff; --ink:#1b1f24; --faint:#8a929c; --grid:#e6e8eb; --line:#d5d9de;
  --one:#2563a8; --two:#c2571a; --three:#2e8b57; }
@media (prefers-color-scheme: dark) { :root { --paper:#15181c; --ink:#e6e9ed; --faint:#8a929c; --grid:#2a2f36;
  --line:#363c44; --one:#6aa9ec; --two:#f0935a; --three:#6fcf97; } }
body { font: 15px/1.5 system-ui, sans-serif; background: var(--paper); color: var(--ink); margin: 2rem auto;
  max-width: 76rem; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p.what { color: var(--faint); margin: 0 0 1.5rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .75rem; margin: 0; }
dl div { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .75rem; }
dt { color: var(--faint); font-size: .8rem; } dd { margin: 0; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
.plots { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; }
figure { margin: 0; } figcaption { font-weight: 600; margin-bottom: .25rem; }
svg { max-width: 100%; height: auto; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.legend span { margin-right: 1rem; font-size: .85rem; }
.legend i { display: inline-block; width: .8em; height: .8em; margin-right: .35em; border-radius: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
.scroll { overflow-x: auto; }
"""


def html_page(title: str, facts: Mapping[str, str], summary: Summary, results: Sequence[CaseResult]) -> str:
    """The whole page."""
    mixed = any(one.gold is Gold.MIXED for one in results)
    wrong = [one for one in results if is_wrong(one, mixed=mixed)]
    described = " · ".join(f"{escape(name)} {escape(value)}" for name, value in facts.items())
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="what">{described}</p>',
        _numbers(summary),
        '<h2>Plots</h2><div class="plots">',
        _figure("Confusion: label down, answer across", plots.confusion_plot(summary.confusion)),
        _figure(f"Reliability: ECE {summary.ece:.3f}, Brier {summary.brier:.3f}", plots.reliability_plot(summary)),
        _figure("Accuracy and coverage", plots.curve_plot(summary)),
        _figure("Recall of gold documents", plots.recall_plot(summary.recall)),
        _figure("Wrong answers by cause", plots.bars("Wrong answers by cause", summary.causes)),
        "</div>",
        "<h2>What the causes mean</h2>",
        _table(("cause", "claims", "meaning"), ((c.value, summary.causes[c.value], CAUSES[c]) for c in Cause)),
        f"<h2>Wrong answers: {min(len(wrong), SHOWN_ERRORS)} of {len(wrong)}</h2>",
        _errors(wrong[:SHOWN_ERRORS], mixed=mixed),
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>\n'
        f"<body>{''.join(body)}</body></html>\n"
    )


def _numbers(summary: Summary) -> str:
    rate = summary.claims_per_second
    entries = {
        "claims": f"{summary.claims}",
        "accuracy": f"{summary.accuracy:.3f}",
        "macro-F1": f"{summary.macro_f1:.3f}",
        "decided": f"{summary.decided:.1%}",
        "accuracy among decided": f"{summary.accuracy_decided:.3f}",
        "ECE": f"{summary.ece:.3f}",
        "Brier": f"{summary.brier:.3f}",
        "median seconds": f"{summary.latency.median:.2f}",
        "95 % within, s": f"{summary.latency.p95:.2f}",
        "claims per second": f"{rate:.2f}" if rate is not None else "interrupted",
        "loops per claim": f"{summary.loops:.2f}",
        "model calls per claim": f"{summary.calls:.2f}",
        "cost per claim": f"${summary.cost_usd:.4f}",
    }
    return "<dl>" + "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in entries.items()) + "</dl>"


def _figure(caption: str, plot: str) -> str:
    return f"<figure><figcaption>{escape(caption)}</figcaption>{plot}</figure>"


def _errors(wrong: Sequence[CaseResult], *, mixed: bool) -> str:
    ordered = sorted(wrong, key=lambda one: (list(Cause).index(one.cause or Cause.RECONCILED), one.number))
    rows = (
        (
            one.cause.value if one.cause else "",
            one.gold.value,
            answer_of(one, mixed=mixed).value,
            f"{one.confidence:.2f}",
            one.claim,
            ", ".join(one.guards),
        )
        for one in ordered
    )
    return _table(("cause", "label", "answer", "confidence", "claim", "guards"), rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    lines = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'
