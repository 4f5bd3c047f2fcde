"""`veristream audit`: recompute every number of verdict packages, and read them as a person would."""

from typing import Annotated

import typer
from pydantic import ValidationError

from streams.cli.documents import documents, package_of
from streams.cli.errors import fail, stderr
from streams.cli.options import example, stdout
from streams.wire import describe


def register(app: typer.Typer) -> None:
    app.command(epilog=example("audit --explain verdict.json"))(audit)


def audit(
    files: Annotated[list[str], typer.Argument(help="Packages as JSON or JSON lines; - for standard input.")],
    explain: Annotated[bool, typer.Option("--explain", help="Print each verdict as a person would read it.")] = False,
) -> None:
    """Recompute every number of a verdict package from the package alone, and print what differs."""
    from agents.claims.package.audit import audit as differences_of
    from agents.claims.package.explain import explain as explained

    wrong = total = 0
    for name, text in documents(files):
        total += 1
        try:
            package = package_of(text)
        except ValidationError as error:
            wrong += 1
            stderr.print(f"{name}: not a verdict package: {describe(error)}", markup=False)
            continue
        if explain:
            stdout.print("\n".join(explained(package)), markup=False)
        found = differences_of(package)
        wrong += bool(found)
        for difference in found:
            stdout.print(f"{name}: {difference}", markup=False)
        if not found and not explain:
            stdout.print(
                f"{name}: {package.job_id} {package.verdict}: every number follows from the package", markup=False
            )
    if wrong:
        raise fail(f"{wrong} of {total} packages do not hold")
