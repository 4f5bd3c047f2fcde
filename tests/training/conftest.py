"""These tests train: they need what training/requirements.txt names, which the product itself does not."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") and find_spec("onnx") else ["test_training.py"]
