"""A small town on the web: pages, claims about them, and what should come of each. One loader, no product code."""

from samples.corpus import Corpus, Expectation, Host, SampleClaim, SamplePage, load, samples_dir

__all__ = ["Corpus", "Expectation", "Host", "SampleClaim", "SamplePage", "load", "samples_dir"]
