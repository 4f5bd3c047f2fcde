"""Whatever reads or writes language: ports, local models, rules to fall back on, and the model under quota."""
