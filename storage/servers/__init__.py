"""The stores that need servers: Weaviate for passages; Neo4j for graph, ledger and registry."""
