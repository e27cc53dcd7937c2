"""The forward proxy for child processes: each connection passes the gate, and leads where it was judged to."""

from guardhouse.egress.proxy.callers import TokenCallers
from guardhouse.egress.proxy.door import Callers, Door
from guardhouse.egress.proxy.serving import ForwardProxy

__all__ = ["Callers", "Door", "ForwardProxy", "TokenCallers"]
