"""The language model behind one port: its adapter, its quota, its breaker, its cache, and how it is asked."""
