"""Language by rules: deterministic, no model, no network. What every task falls back on."""
