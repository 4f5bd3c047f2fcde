#!/usr/bin/env python3
"""Install, start, stop and wipe real Kafka, Neo4j and Weaviate without containers; `--help` shows how.

Needs nothing but Python 3.11 and, to install, Java, Maven and Go. Tests import the classes and run servers of
their own: `Kafka(home, nodes=3).start()`.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    # Run as a file, Python looks for modules beside it; ours are named from the folder above.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from deploy.servers.errors import ServiceError
from deploy.servers.kafka import Kafka
from deploy.servers.neo4j import Neo4j
from deploy.servers.service import LocalService
from deploy.servers.weaviate import Weaviate

__all__ = ["Kafka", "LocalService", "Neo4j", "ServiceError", "Weaviate"]

if __name__ == "__main__":
    from deploy.servers.cli import main

    sys.exit(main())
