"""Serves a language model with llama.cpp's server: llama.py MODEL KEY. Prints the base URL."""

import sys
import threading

import xllamacpp

model, key = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model
params.model_alias = {"smollm2"}
params.api_keys = [key]
params.n_ctx = 2048
params.port = 0
server = xllamacpp.Server(params)
print(f"{server.listening_address}/v1", flush=True)
threading.Event().wait()
