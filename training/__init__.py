"""Training of the stance model: from a folder of labelled pairs and base weights to one int8 ONNX file."""
