"""`/docs`: the OpenAPI document as one plain page. No script, nothing from elsewhere: it works without a network."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

router = APIRouter()

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a }
h2 { margin-top: 2.5rem; border-top: 1px solid #ccc; padding-top: 1rem } h2 code { font-size: 1.1rem }
pre { background: #f4f4f4; padding: .75rem; overflow-x: auto } td, th { text-align: left; padding: .15rem 1rem .15rem 0;
vertical-align: top } td:nth-child(2) { min-width: 9rem } table { margin: .5rem 0 } a { color: #0645ad }
@media (prefers-color-scheme: dark) { body { background: #161616; color: #e8e8e8 } pre { background: #262626 }
a { color: #8ab4f8 } h2 { border-color: #444 } }
"""


@router.get("/docs", include_in_schema=False)
async def docs(request: Request) -> HTMLResponse:
    base = str(request.base_url).rstrip("/")
    return HTMLResponse(page(request.app.openapi(), base), headers={"Content-Security-Policy": POLICY})


def page(document: Mapping[str, Any], base: str) -> str:
    """Every operation of the document: what it is for, what it takes, what it answers, and how to try it."""
    info = document["info"]
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>{escape(info['title'])}</title><style>{STYLE}</style>",
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1><p>{escape(info['summary'])}</p>",
        f"<p>{_text(info['description'])}</p>",
        "<p>For machines: <a href=/openapi.json>OpenAPI</a>, <a href=/schemas/verdict/v1>verdict schema</a>.</p>",
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            parts += _operation(method.upper(), path, operation, base)
    return "\n".join(parts)


def _operation(method: str, path: str, operation: Mapping[str, Any], base: str) -> Iterator[str]:
    key = "needs a key" if operation.get("security") else "open to all"
    yield f"<h2><code>{method} {escape(path)}</code></h2>"
    yield f"<p><b>{escape(operation['summary'])}</b>, {key}. {_text(operation.get('description', ''))}</p>"
    rows = [(one["name"], one["in"], one.get("description", "")) for one in operation.get("parameters", [])]
    if rows:
        yield _table(("parameter", "in", "meaning"), rows)
    if body := operation.get("requestBody"):
        yield _table(("field", "", "meaning"), list(_fields(body["content"]["application/json"]["schema"])))
    yield f"<pre>{escape(_command(method, path, operation, base))}</pre>"
    answers = sorted(operation["responses"].items())
    yield _table(("answer", "meaning"), [(code, one["description"]) for code, one in answers])


def _fields(schema: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The members of a request's body: which are needed, what the others are without being given, their bounds."""
    for name, field in schema["properties"].items():
        shape = next((one for one in field.get("anyOf", ()) if one.get("type") != "null"), field)
        bounds = [f"`{' | '.join(map(str, shape['enum']))}`."] if "enum" in shape else []
        bounds += [f"{least} to {shape[most]}{unit}." for least, most, unit in _bounds(shape)]
        default = field.get("default")
        given = "optional" if default is None else f"`{json.dumps(default)}` if not given"
        told = field.get("description", "")
        yield name, "required" if name in schema["required"] else given, " ".join((told, *bounds)).strip()


def _bounds(shape: Mapping[str, Any]) -> Iterator[tuple[int, str, str]]:
    if "maximum" in shape:
        yield shape["minimum"], "maximum", ""
    if "maxLength" in shape:
        yield shape.get("minLength", 0), "maxLength", " characters"


def _command(method: str, path: str, operation: Mapping[str, Any], base: str) -> str:
    for one in operation.get("parameters", []):
        example = next(iter(one["schema"].get("examples", ())), None) or one.get("example")
        if one["in"] == "path" and example:
            path = path.replace("{" + one["name"] + "}", example)
    words = ["curl", base + path]
    if operation.get("security"):
        words.append('-H "Authorization: Bearer $KEY"')
    if method == "POST":
        body = operation["requestBody"]["content"]["application/json"]["example"]
        words.append(f"\\\n  -d '{json.dumps(body)}'")
    return " ".join(words)


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    head = "".join(f"<th>{escape(name)}" for name in heads)
    lines = ("".join(f"<td>{_text(str(cell))}" for cell in row) for row in rows)
    return f"<table><tr>{head}" + "".join(f"<tr>{line}" for line in lines) + "</table>"


def _text(text: str) -> str:
    """Escaped, with `code` between backticks."""
    pieces = escape(text).split("`")
    return "".join(f"<code>{piece}</code>" if number % 2 else piece for number, piece in enumerate(pieces))
