"""Every formula of the specifications, as pure functions on frozen values. Imports nothing of ours."""
