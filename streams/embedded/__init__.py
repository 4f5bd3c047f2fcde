"""Everything on one machine with nothing installed: the in-process broker, the sample web, the supervisor."""
