"""The language tasks: a versioned prompt, a schema and a call tag each, checks of the answer, rules to fall back on."""
