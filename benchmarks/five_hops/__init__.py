"""One topology of five hops, built three ways; `benchmarks/transport.py` measures them."""
