"""The knowledge base as a whole: filling it, keeping it fresh, checking and mending it, carrying it elsewhere."""
