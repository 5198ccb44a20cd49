"""Starts llama-server on a model; with a text, it answers every request with that.

  python llama_server.py MODEL PORT [TEXT_FILE SEED]
"""
import json
import pathlib
import signal
import sys

import xllamacpp


def start(model, port, text=None, seed=0):
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames, params.port = ["127.0.0.1"], port
    params.n_ctx, params.n_parallel = 8192, 1
    params.use_jinja, params.warmup = True, False
    for threads in (params.cpuparams, params.cpuparams_batch):
        # Threads that poll starve each other where cores are few.
        threads.n_threads, threads.poll = 1, 0
    if text is not None:
        params.sampling.temp, params.sampling.seed = 1.5, seed
        # The grammar's literals are those of JSON.
        grammar = "root ::= " + json.dumps(text, ensure_ascii=False)
        params.sampling.grammar = xllamacpp.CommonGrammar(xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER, grammar)
    return xllamacpp.Server(params)


if __name__ == "__main__":
    model, port, *said = sys.argv[1:]
    said = [pathlib.Path(said[0]).read_text(encoding="utf-8"), int(said[1])] if said else []
    server = start(model, int(port), *said)
    print("listening", server.listening_address, flush=True)
    signal.pause()
