"""What 003 decides about a draft: its claims, their evidence, verdicts and confidence, and whether to revise it."""
