"""The Guardian: a second opinion on calls by a model that reads what happened as data (SPEC J1–J3).

It is asked where policy wants it, and policy says what its answer leads to. Loaded only where one is configured.
"""
