"""The local stance model: a small cross-encoder through onnxruntime, helped with numbers by arithmetic."""

from agents.language.stance.lines import judge_lines
from agents.language.stance.onnx import OnnxStance, StanceRunPolicy

__all__ = ["OnnxStance", "StanceRunPolicy", "judge_lines"]
