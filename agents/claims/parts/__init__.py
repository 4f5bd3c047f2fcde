"""A claim of several statements: taken apart, joined again, and told as one."""
