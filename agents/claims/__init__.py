"""One module per stage of a claim's way: intake, retrieval, ranking, trust, search expansion, adjudication."""
