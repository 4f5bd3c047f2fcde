"""Consume, handle, deliver, acknowledge: nothing is lost, and nothing is acknowledged before it is done."""
