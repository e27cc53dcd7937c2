"""Approvals: the state machine of requests, the store they are kept in, and the channels that put them to people."""
