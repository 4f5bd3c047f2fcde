"""The local web of `acquisition.py`: a hundred events, reported on a dozen sites, served with a delay."""
