"""How a local ONNX model is loaded."""

from pathlib import Path
from typing import Any


def open_session(model: Path, threads: int) -> Any:
    """A session on the CPU that leaves the other cores to others."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that spin while they wait would take the cores that the event loop and other workers need.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
