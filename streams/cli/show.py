"""How verdicts and progress look on a terminal."""

from typing import Any

from rich.markup import escape

COLOURS = {"TRUE": "green", "FALSE": "red", "PARTIALLY_TRUE": "yellow", "UNVERIFIABLE": "cyan"}


def verdict_line(package: dict[str, Any]) -> str:
    """One line per verdict: what, how sure, after how many loops, why it stopped, about what."""
    verdict = package["verdict"]
    loop = package["loop"]
    loops = f"{loop['count']} loop{'' if loop['count'] == 1 else 's'}"
    return (
        f"[{COLOURS[verdict]}]{verdict:<14}[/] {package['verdict_confidence']:.2f}  "
        f"{loops:<8} {loop['stop_reason']:<20} [bold]{escape(package['job_id'])}[/bold]  {escape(package['claim'])}"
    )


def progress_line(event: dict[str, Any]) -> str:
    """One line per step of a job."""
    detail = ", ".join(f"{name}={_brief(value)}" for name, value in event["detail"].items())
    loop = f"loop {event['loop']}" if event["loop"] else ""
    return (
        f"  [dim]{escape(event['job_id']):<14} {event['stage']:<17}[/dim] {event['event']:<22} "
        f"[dim]{loop:<7} {escape(detail)}[/dim]"
    )


def _brief(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, list):
        return " | ".join(map(str, value))
    return str(value)


def explain(package: dict[str, Any]) -> list[str]:
    """A verdict for a person: the line, the parts if there are any, the reasons, the sources."""
    lines = [verdict_line(package)]
    lines += [
        f"  [{COLOURS[part['verdict']]}]{part['verdict']:<14}[/] {escape(part['claim'])}"
        for part in package["sub_results"]
    ]
    lines.append(f"  {escape(package['rationale'])}")
    lines += [
        f"  [dim]{citation['stance']:<9}[/dim] {escape(citation['title'])} [dim]{escape(citation['url'])}[/dim]"
        for citation in package["citations"]
    ]
    return lines
