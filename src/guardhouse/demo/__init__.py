"""The demo: a hijacked agent, without the gate and with it."""
