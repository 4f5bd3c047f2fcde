"""Ports named after what the domain asks for, and their adapters: embedded and server."""
