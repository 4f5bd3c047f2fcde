"""The version of the product, from its own metadata."""

from importlib.metadata import version

VERSION = version("veristream")
