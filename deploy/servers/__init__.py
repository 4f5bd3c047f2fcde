"""Real Kafka, Neo4j and Weaviate as ordinary processes, for machines without a container engine."""
