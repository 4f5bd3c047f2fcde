"""The model's folder: what must be in it, and proof that it is what was published."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

CHECKSUMS = "SHA256SUMS"
NAME = "veristream-stance-1"
SHOWN_DIGITS = 16
NEEDED = ("model.onnx", "tokenizer.json", "calibration.json")


@dataclass(frozen=True, slots=True)
class StanceFiles:
    """The verified files of one stance model."""

    model: Path
    tokenizer: Path
    calibration: Path


def verified_files(folder: Path) -> StanceFiles:
    """The files of `folder`; a missing or altered one is an error that names it."""
    published = _checksums(folder / CHECKSUMS)
    for name in NEEDED:
        path = folder / name
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing: check the folder out again or install the package anew")
        expected = published.get(name)
        if expected is None:
            raise ValueError(f"{folder / CHECKSUMS} has no line for {name}: the folder is incomplete")
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != expected:
            raise ValueError(
                f"{path} is not the published file (SHA-256 {found[:12]}…, expected {expected[:12]}…): "
                "check it out again or install the package anew"
            )
    return StanceFiles(*(folder / name for name in NEEDED))


def model_name(folder: Path) -> str:
    """The model with the checksum of its checksums: one name for exactly these files."""
    path = folder / CHECKSUMS
    _checksums(path)
    return f"{NAME} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:SHOWN_DIGITS]}"


def _checksums(path: Path) -> dict[str, str]:
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: without it the model's files cannot be verified")
    lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return {parts[1].lstrip("*"): parts[0] for parts in lines if len(parts) == 2}
