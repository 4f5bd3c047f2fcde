"""The plots of the report as SVG text: no script, no outside file, readable in light and dark."""

from collections.abc import Mapping, Sequence
from html import escape

from agents.evaluation.measures import RECALL_AT, Summary

WIDTH, HEIGHT = 380, 300
LEFT, RIGHT, TOP, BOTTOM = 60, 16, 16, 44
STAGE_COLOURS = {"retrieval": "var(--one)", "ranking": "var(--two)", "citations": "var(--three)"}


def reliability_plot(summary: Summary) -> str:
    """How often right against how sure; the diagonal is a confidence that means what it says."""
    largest = max((one.count for one in summary.reliability), default=1)
    parts = [_line([(0.0, 0.0), (1.0, 1.0)], "var(--faint)", dashed=True)]
    parts.append(_line([(one.confidence, one.accuracy) for one in summary.reliability], "var(--one)"))
    for one in summary.reliability:
        radius = 3 + 7 * (one.count / largest) ** 0.5
        words = f"{one.count} claims: confidence {one.confidence:.2f}, right {one.accuracy:.2f}"
        parts.append(_dot(one.confidence, one.accuracy, radius, "var(--one)", words))
    return _frame("Reliability", "confidence of the verdict", "share right", parts)


def curve_plot(summary: Summary) -> str:
    """Accuracy among the most confident share."""
    points = [(one.coverage, one.accuracy) for one in summary.curve]
    parts = [_line(points, "var(--one)")]
    parts += [_dot(x, y, 3.5, "var(--one)", f"most confident {x:.0%}: {y:.3f} right") for x, y in points]
    return _frame("Accuracy and coverage", "share of claims answered, most confident first", "share right", parts)


def recall_plot(recall: Mapping[str, Mapping[str, float]]) -> str:
    """Where gold documents are lost on their way."""
    spread = {str(k): (place + 0.5) / len(RECALL_AT) for place, k in enumerate(RECALL_AT)}
    parts = []
    for stage, by_k in recall.items():
        points = [(spread[k], value) for k, value in by_k.items()]
        parts.append(_line(points, STAGE_COLOURS[stage]))
        parts += [
            _dot(spread[k], value, 3.5, STAGE_COLOURS[stage], f"{stage}: recall@{k} {value:.3f}")
            for k, value in by_k.items()
        ]
    ticks = [(place, k) for k, place in spread.items()]
    return _frame("Recall of gold documents", "first k documents", "recall", parts, ticks) + _legend(STAGE_COLOURS)


def confusion_plot(confusion: Mapping[str, Mapping[str, int]]) -> str:
    """Gold labels down, answers across; a row adds up to its label."""
    labels = list(confusion)
    size = 72
    width, height = 110 + size * len(labels), 40 + size * len(labels)
    cells = []
    for row, gold in enumerate(labels):
        total = sum(confusion[gold].values()) or 1
        cells.append(_text(100, 40 + size * (row + 0.55), gold, anchor="end"))
        for column, answer in enumerate(labels):
            count = confusion[gold][answer]
            x, y, share = 110 + size * column, 40 + size * row, count / total
            tone = "var(--one)" if gold == answer else "var(--two)"
            cells.append(
                f'<rect x="{x}" y="{y}" width="{size - 3}" height="{size - 3}" rx="4" fill="{tone}" '
                f'fill-opacity="{0.08 + 0.72 * share:.3f}"><title>{gold} answered {answer}: {count}</title></rect>'
            )
            cells.append(_text(x + size / 2, y + size / 2 + 5, str(count), anchor="middle"))
    heads = [_text(110 + size * (n + 0.5), 28, one, anchor="middle") for n, one in enumerate(labels)]
    return _svg(width, height, "Confusion matrix: label down, answer across", [*heads, *cells])


def bars(title: str, counts: Mapping[str, int]) -> str:
    """Counts as horizontal bars."""
    largest, row = max(counts.values(), default=0) or 1, 30
    parts = []
    for place, (name, count) in enumerate(counts.items()):
        y, long = 8 + row * place, 220 * count / largest
        parts.append(_text(120, y + 16, name, anchor="end"))
        parts.append(f'<rect x="130" y="{y}" width="{long:.1f}" height="20" rx="3" fill="var(--one)"/>')
        parts.append(_text(138 + long, y + 16, str(count)))
    return _svg(420, 16 + row * len(counts), title, parts)


def _frame(
    title: str, x_name: str, y_name: str, parts: Sequence[str], ticks: Sequence[tuple[float, str]] | None = None
) -> str:
    quarters = [(n / 4, f"{n / 4:.2f}") for n in range(5)]
    grid = [
        _line([(0.0, y), (1.0, y)], "var(--grid)") + _text(LEFT - 6, _y(y) + 4, name, "end") for y, name in quarters
    ]
    below = [_text(_x(x), HEIGHT - BOTTOM + 18, name, "middle") for x, name in ticks or quarters]
    names = [
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, x_name, "middle"),
        f'<g transform="rotate(-90 12 {HEIGHT / 2})">{_text(12, HEIGHT / 2, y_name, "middle")}</g>',
    ]
    return _svg(WIDTH, HEIGHT, title, [*grid, *below, *names, *parts])


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>{"".join(parts)}</svg>'
    )


def _x(value: float) -> float:
    return LEFT + value * (WIDTH - LEFT - RIGHT)


def _y(value: float) -> float:
    return TOP + (1 - value) * (HEIGHT - TOP - BOTTOM)


def _line(points: Sequence[tuple[float, float]], colour: str, *, dashed: bool = False) -> str:
    path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)
    dash = ' stroke-dasharray="4 4"' if dashed else ""
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>'


def _dot(x: float, y: float, radius: float, colour: str, words: str) -> str:
    place = f'cx="{_x(x):.1f}" cy="{_y(y):.1f}" r="{radius:.1f}"'
    return f'<circle {place} fill="{colour}" fill-opacity="0.8"><title>{escape(words)}</title></circle>'


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _legend(colours: Mapping[str, str]) -> str:
    entries = "".join(
        f'<span><i style="background:{colour}"></i>{escape(name)}</span>' for name, colour in colours.items()
    )
    return f'<p class="legend">{entries}</p>'
