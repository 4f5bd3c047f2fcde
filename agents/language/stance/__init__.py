"""The local stance model: a small cross-encoder through onnxruntime, helped with numbers by arithmetic."""

from agents.language.stance.onnx import OnnxStance, StanceRunPolicy

__all__ = ["OnnxStance", "StanceRunPolicy"]
