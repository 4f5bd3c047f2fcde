"""The whole pipeline under load: what `benchmarks/pipeline.py` is made of."""
