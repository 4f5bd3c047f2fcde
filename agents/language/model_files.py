"""Where the files of the local models lie: inside the installed package, or in a checkout's `models` folder."""

from pathlib import Path

_PACKAGED = Path(__file__).parent / "models"
_CHECKOUT = Path(__file__).parents[2] / "models"


def model_folder(name: str) -> Path:
    """The folder of the model called `name`."""
    for root in (_PACKAGED, _CHECKOUT):
        if (root / name).is_dir():
            return root / name
    raise FileNotFoundError(
        f"the model {name!r} is neither in {_PACKAGED} nor in {_CHECKOUT}: install the package again"
    )
