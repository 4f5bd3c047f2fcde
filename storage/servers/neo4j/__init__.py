"""KnowledgeGraph, VerdictLedger and UrlRegistry in Neo4j, over one shared driver."""
