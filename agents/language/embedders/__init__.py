"""Adapters of the `Embedder` port: the static table, the local transformer, and OpenAI's endpoint."""
