"""Files of every kind, made by the tests themselves."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path

ARTICLE = (
    "The town council of Kelderwick approved a new bridge over the river on Monday. "
    "It will cost 4.2 million pounds and open in the spring of 2027. "
    "Councillor Jane Morrow said that the old bridge had been closed since the flood of 2021."
)


def html(title: str = "New bridge approved", text: str = ARTICLE, head: str = "") -> str:
    return (
        f"<!doctype html><html lang='en'><head><title>{title}</title>"
        f"<meta property='article:published_time' content='2026-03-02'>{head}</head>"
        f"<body><nav>Home News Sport</nav><main><article><h1>{title}</h1><p>{text}</p></article></main></body></html>"
    )


def json_lines(path: Path, records: Iterable[object]) -> Path:
    raw = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    path.write_bytes(gzip.compress(raw) if path.name.endswith(".gz") else raw)
    return path


def pdf(lines: Iterable[str], title: str = "") -> bytes:
    """A small PDF of one page, written by hand: objects, a cross-reference table, a trailer."""
    shown = " ".join(f"({line.replace('(', '[').replace(')', ']')}) Tj T*" for line in lines)
    content = f"BT /F1 12 Tf 14 TL 50 750 Td {shown} ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Title (%s) >>" % title.encode(),
    ]
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer << /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, table)
    return bytes(out)
