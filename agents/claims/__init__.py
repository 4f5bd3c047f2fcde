"""One module per stage of a claim's way: intake, retrieval, ranking, trust, search expansion, adjudication.

`package` is what comes of it, `parts` what becomes of a claim of several statements, `matching` of one seen before.
"""
