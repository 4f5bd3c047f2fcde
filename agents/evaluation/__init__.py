"""How right the verdicts are: labelled claims in, what became of each and what it amounts to out. No Kafka here."""
