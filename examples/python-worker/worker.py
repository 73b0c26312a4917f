"""A remote worker of Keelson with nothing but the standard library of Python.

    KEELSON_API_KEY=kls_... python3 worker.py http://127.0.0.1:8088

It does one step at a time; start more of them for more. SIGTERM lets it finish what it has begun.
"""

import json
import os
import signal
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request


def count_primes(data, context):
    """A function of a plan: its input in, its output out. `context["cancelled"]` is an Event."""
    first, last = data["from"], data["to"]
    found = 0
    for n in range(max(first, 2), last + 1):
        if context["cancelled"].is_set():
            raise RuntimeError("stopped half-way")
        found += all(n % d for d in range(2, int(n**0.5) + 1))
    return {"primes": found}


def add_up(data, _context):
    return sum(part["primes"] for part in data["parts"])


def ask(url, key, path, body=None):
    data = b"" if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", **({"authorization": f"Bearer {key}"} if key else {})}
    request = urllib.request.Request(f"{url}/v1/work/{path}", data, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def beat(url, key, work, cancelled, done):
    """Keeps the claim, and hears whether anybody still waits for the step."""
    while not done.wait(work["heartbeatMs"] / 1000):
        try:
            if ask(url, key, f"{work['claim']}/heartbeat")["answer"] == "cancel":
                cancelled.set()
        except urllib.error.HTTPError as refused:
            if refused.code == 404:  # the claim is somebody else's by now
                cancelled.set()
        except OSError:
            pass  # the next beat may come through


def report(url, key, work, body):
    """The same report may be sent again: it counts once. What the server refuses is dropped."""
    while True:
        try:
            return ask(url, key, f"{work['claim']}/report", body)
        except urllib.error.HTTPError as refused:
            if refused.code < 500 and refused.code != 429:
                return print(f"not taken: {refused.read().decode()}", file=sys.stderr)
        except OSError as away:
            print(f"the server does not answer: {away}", file=sys.stderr)
        time.sleep(1)


def do(url, key, work, handlers):
    cancelled, done = threading.Event(), threading.Event()
    heart = threading.Thread(target=beat, args=(url, key, work, cancelled, done), daemon=True)
    heart.start()
    try:
        output = handlers[work["handler"]](work["input"], {**work, "cancelled": cancelled})
        body = {"outcome": "completed", "output": output}
    except Exception as error:  # whatever it throws is the outcome of the step
        told = {"message": str(error) or type(error).__name__, "name": type(error).__name__}
        body = {"outcome": "failed", "error": {**told, "stack": traceback.format_exc()[-4000:]}}
    report(url, key, work, body)
    done.set()


def work_on(url, key, queues, handlers, **more):
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    wanted = {"queues": queues, "handlers": list(handlers), "waitMs": 2000, **more}
    while not stopping.is_set():
        try:
            for work in ask(url, key, "claim", wanted)["work"]:
                do(url, key, work, handlers)
        except OSError as away:
            print(f"no work: {away}", file=sys.stderr)
            stopping.wait(1)


if __name__ == "__main__":
    functions = {"count_primes": count_primes, "add_up": add_up}
    work_on(sys.argv[1], os.environ.get("KEELSON_API_KEY", ""), ["python"], functions, build="1")
