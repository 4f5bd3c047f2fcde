"""`veristream export`: verdict packages in the words of others."""

import json
from typing import Annotated

import typer
from pydantic import ValidationError

from agents.claims.package.claimreview import Publisher, claim_review
from streams.cli.documents import documents, package_of
from streams.cli.errors import fail
from streams.cli.options import example, stdout
from streams.settings import load_settings
from streams.wire import describe


def register(app: typer.Typer) -> None:
    app.command(epilog=example("watch --json --count 1 | veristream export --claimreview -"))(export)


def export(
    files: Annotated[list[str], typer.Argument(help="Packages as JSON or JSON lines; - for standard input.")],
    claimreview: Annotated[bool, typer.Option("--claimreview", help="ClaimReview JSON-LD, one per line.")] = False,
) -> None:
    """Write verdict packages as ClaimReview JSON-LD."""
    if not claimreview:
        raise fail("say which format: --claimreview")
    settings = load_settings()
    publisher = Publisher(settings.publisher_name, settings.publisher_url or "")
    for name, text in documents(files):
        try:
            package = package_of(text)
        except ValidationError as error:
            raise fail(f"{name}: not a verdict package: {describe(error)}") from None
        stdout.print(json.dumps(claim_review(package, publisher), ensure_ascii=False), markup=False)
