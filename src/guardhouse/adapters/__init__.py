"""Adapters: thin translations from the ways agents call tools to the gate. They decide nothing."""
