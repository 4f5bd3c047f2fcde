"""EvidenceIndex in Weaviate: self-provided vectors, BM25 over our own terms, names as aliases."""
