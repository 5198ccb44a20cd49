"""The face that all Python clients have: jobs as lines of JSON in, what the client made of each as lines of JSON out.

A job: {"id", "base_url", "protocol", "model", "stream", "tools"}; tools as in a chat request. A line:
{"id", "calls": [{"id", "name", "arguments"}], "text", "finish", "error", "after": {"text", "finish", "error"}}; `after` is
the follow-up with the results of the calls. The finish is `tool_calls`, `stop` or `length`, whatever the protocol calls it.
"""
import json
import sys

QUESTION = "What is the weather?"
RESULT = "sunny"


def run(ask, tell):
    """`ask(job)` returns calls, text, finish and what `tell(job, state, results)` needs to go on; that returns text, finish."""
    for line in sys.stdin:
        job = json.loads(line)
        said = {"id": job["id"], "calls": [], "text": "", "finish": None, "error": None, "after": None}
        try:
            calls, said["text"], said["finish"], state = ask(job)
            said["calls"] = [{"id": id, "name": name, "arguments": arguments} for id, name, arguments in calls]
            results = [(call["id"], call["name"], RESULT) for call in said["calls"]]
            if results:
                said["after"] = _follow(tell, job, state, results)
        except Exception as error:  # whatever a client throws at its user is a result here
            said["error"] = describe(error)
        print(json.dumps(said, ensure_ascii=False, default=str), flush=True)


def _follow(tell, job, state, results):
    try:
        text, finish = tell(job, state, results)
        return {"text": text, "finish": finish, "error": None}
    except Exception as error:  # as above
        return {"text": "", "finish": None, "error": describe(error)}


def describe(error):
    return f"{type(error).__name__}: {str(error)[:300]}"


def arguments(text):
    """Arguments as a user of an SDK reads them."""
    if not isinstance(text, str):
        raise TypeError(f"the arguments are {text!r}, not a text")
    return json.loads(text)


def kept(make):
    """Makes a client once for each base URL; making one costs more than a request."""
    clients = {}

    def client(job):
        key = job["base_url"]
        if key not in clients:
            clients[key] = make(key)
        return clients[key]

    return client
