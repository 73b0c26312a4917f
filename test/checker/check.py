"""Checks Keelson bundles (`keelson export`) or logs (`keelson events --json`) by docs/reference/log.md alone.

    python3 check.py [--key <public key in hex>] <bundle.jsonl>...
    python3 check.py --events <events.jsonl>...

Shares no code with the product and needs nothing but Python 3. Prints a JSON object per file; exit code 1 when one of them is
not whole.
"""
import json
import sys
from datetime import datetime, timezone

from canonical import NotCanonical, read, write
from ed25519 import is_signed
from events import Broken, HEX, Log, sha256, step_slot

ENVELOPE = "persistedAt data salt chainHash"
DATA_NAMES = "input result output captureValues errorText facts notes signalPayload".split()


def lines_of(path):
    with open(path, "rb") as file:
        whole = file.read()
    lines = whole.split(b"\n")
    if lines and lines[-1] == b"":
        lines.pop()
    return lines


class AtLine(Exception):
    def __init__(self, number, what):
        super().__init__("line %d: %s" % (number, what))


def parts_of(path):
    """The lines of a bundle, each proven to be canonical, in its place and of this bundle."""
    parts, link = [], ""
    for number, raw in enumerate(lines_of(path), 1):
        try:
            text = raw.decode("utf-8")
            line = read(text)
            if not isinstance(line, dict) or sorted(line) != ["body", "link", "part"] or not isinstance(line["body"], dict):
                raise AtLine(number, "it is not {body, link, part}")
            if write(line) != text:
                raise AtLine(number, "it is not canonical JSON")
        except (UnicodeDecodeError, NotCanonical) as error:
            raise AtLine(number, "it is torn: %s" % error)
        link = sha256(link + "\n" + write({"body": line["body"], "part": line["part"]}))
        if line["link"] != link:
            raise AtLine(number, "its link does not follow from it and the line before")
        parts.append((number, line["part"], line["body"]))
    if not parts or parts[-1][1] != "end" or parts[-1][2].get("lines") != len(parts):
        raise AtLine(len(parts) + 1, "the bundle ends before its end")
    order = ["run", "plan", "event", "blob", "key", "receipt", "end"]
    places = [order.index(part) for _, part, _ in parts if part in order]
    if places != sorted(places) or parts[0][1] != "run" or [part for _, part, _ in parts].count("end") != 1:
        raise AtLine(1, "its parts are not in their order")
    return parts


def check_bundle(path, demanded):
    parts = parts_of(path)
    run = parts[0][2]
    if run.get("version") != 1:
        raise AtLine(1, "version %r is not known" % run.get("version"))
    log, blobs, keys, receipts, plans = Log(), {}, {}, [], []
    for number, part, body in parts:
        try:
            if part == "event":
                take_event(log, body)
            elif part in ("plan", "blob"):
                if sha256(body["text"]) != body["sha256"]:
                    raise Broken("the %s does not have its hash" % part)
                (plans if part == "plan" else blobs.setdefault(body["sha256"], [])).append(body["text"])
            elif part == "key":
                if sha256(bytes.fromhex(body["publicKey"]))[:16] != body["keyId"]:
                    raise Broken("the keyId is not that of the key")
                keys[body["keyId"]] = bytes.fromhex(body["publicKey"])
            elif part == "receipt":
                receipts.append((number, receipt_of(body["line"])))
        except (Broken, KeyError, TypeError, ValueError, AttributeError) as error:
            raise AtLine(number, str(error) or repr(error))
    check_run(run, log, plans)
    lost = [(seq, name) for seq, name in log.refs if name not in blobs and seq > log.erased_up_to]
    if lost:
        raise AtLine(1, "event %d names a blob that is not there: %s" % lost[0])
    if log.missing_data():
        raise AtLine(1, "the data of event %d is gone, and no erasure is recorded" % log.missing_data()[0])
    if demanded is not None:
        keys = {sha256(bytes.fromhex(demanded))[:16]: bytes.fromhex(demanded)}
    anchors = check_receipts(run, log, keys, receipts, demanded)
    return {"runId": run["runId"], "events": log.count, "status": log.status, "head": log.head(), "anchors": anchors}


def take_event(log, body):
    known = {"chainHash", "data", "eventType", "idempotencyKey", "persistedAt", "record", "runSeq", "salt", "terminalSlot"}
    if not set(body) <= known:
        raise Broken("it has the fields %s" % sorted(set(body) - known))
    record = log.take(body["record"], body.get("data"), body.get("salt"), body["chainHash"])
    for name in ("eventType", "idempotencyKey", "runSeq"):
        if record[name] != body[name]:
            raise Broken("its %s is not that of its record" % name)
    ends = record["eventType"] in ("StepCompleted", "StepFailed", "StepSkipped")
    ended = "%s#%d" % (step_slot(record), record["logicalAttemptId"]) if ends else None
    if body.get("terminalSlot") != ended:
        raise Broken("its terminalSlot is not that of its record")


def instant(text):
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return round(moment.timestamp() * 1000)


def check_run(run, log, plans):
    """What the run row says of the log must be so; the rest of it is the store's own word."""
    if log.first is None:
        raise AtLine(1, "it has no events")
    expected = {name: log.first[name] for name in ("runId", "tenantId", "projectId", "environmentId", "planId", "planVersion")}
    expected.update(headHash=log.head(), nextSeq=log.last_seq + 1, status=log.status)
    if log.started is not None:
        expected.update(planSha256=log.started["planRef"]["sha256"], startedAt=instant(log.started["startedAt"]))
        expected.update(rulesVersion=log.rules, engineType=log.engine[0], engineRunRef=log.engine[1])
        origin = log.started.get("compensationOf", log.started.get("originalRunId"))
        expected.update(parent=log.started.get("parent"), originalRunId=origin)
    if log.ended is not None:
        expected.update(endedAt=instant(log.ended))
    if plans:
        expected.update(stepsTotal=len(read(plans[0])["steps"]))
    for name, value in expected.items():
        if run.get(name) != value:
            raise AtLine(1, "the run row's %s is %r, and the log says %r" % (name, run.get(name), value))
    for text in plans:
        if sha256(text) != run["planSha256"]:
            raise AtLine(2, "it is not the run's plan")
        plan = read(text)
        if write(plan) != text:
            raise AtLine(2, "the plan is not canonical JSON")
        metadata = plan["metadata"]
        if (metadata["planId"], metadata["planVersion"]) != (run["planId"], run["planVersion"]):
            raise AtLine(2, "the plan has another name or version")


def receipt_of(line):
    receipt = read(line)
    if write(receipt) != line or receipt["body"]["receipt"] != "keelson-1":
        raise Broken("it is not a receipt")
    return receipt


def check_receipts(run, log, keys, receipts, demanded):
    """The kinds of events that a standing, signed receipt names with the hash they have."""
    named = []
    for number, receipt in receipts:
        body = receipt["body"]
        key = keys.get(body["keyId"])
        if key is None:
            continue
        if not is_signed(key, write(body).encode("utf-8"), bytes.fromhex(receipt["signature"])):
            raise AtLine(number, "the receipt does not have the signature of its key")
        for head in body["heads"]:
            if (head["runId"], head["tenantId"]) == (run["runId"], run["tenantId"]):
                named.append((number, body["kind"], head))
    anchors = set()
    for index, (number, kind, head) in enumerate(named):
        taken_back = any(other == "restore" and later["runSeq"] < head["runSeq"] for _, other, later in named[index + 1 :])
        if taken_back:
            continue
        if log.hashes.get(head["runSeq"]) != head["chainHash"]:
            raise AtLine(number, "a receipt names another hash for event %s" % head["runSeq"])
        if kind == "heads":
            anchors.add("start" if head["eventType"] == "RunStarted" else "end")
    wanted = {"start"} if log.started is not None else set()
    if log.status in ("COMPLETED", "FAILED", "CANCELLED"):
        wanted.add("end")
    if demanded is not None and not wanted <= anchors:
        raise AtLine(1, "no receipt of the demanded key anchors the run's %s" % " and ".join(sorted(wanted - anchors)))
    return sorted(anchors)


def check_events(path):
    """Lines of `keelson events --json`: the record is put together again from its view."""
    log = Log()
    for number, raw in enumerate(lines_of(path), 1):
        try:
            view = read(raw.decode("utf-8"))
            data = view.get("data")
            record = {name: value for name, value in view.items() if name not in ENVELOPE.split()}
            payload = {name: value for name, value in view["payload"].items() if name not in DATA_NAMES}
            if isinstance(payload.get("error"), dict):
                hidden = ("message", "stackTrace")
                payload["error"] = {name: value for name, value in payload["error"].items() if name not in hidden}
            record["payload"] = payload
            log.take(write(record), None if data is None else write(data), view.get("salt"), view["chainHash"])
        except (Broken, NotCanonical, UnicodeDecodeError, KeyError, TypeError, AttributeError) as error:
            raise AtLine(number, str(error) or repr(error))
    return {"runId": log.first["runId"], "events": log.count, "status": log.status, "head": log.head()}


def main(arguments):
    demanded, as_events, paths = None, False, []
    while arguments:
        one = arguments.pop(0)
        if one == "--key":
            demanded = arguments.pop(0)
            if not HEX.match(demanded):
                raise SystemExit("--key takes 64 hex digits")
        elif one == "--events":
            as_events = True
        elif one == "--list":
            with open(arguments.pop(0), encoding="utf-8") as file:
                paths += file.read().splitlines()
        else:
            paths.append(one)
    failed = 0
    for path in paths:
        try:
            found = check_events(path) if as_events else check_bundle(path, demanded)
            print(json.dumps({"file": path, "whole": True, **found}))
        except (AtLine, KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
            failed += 1
            print(json.dumps({"file": path, "whole": False, "why": str(error) or repr(error)}))
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
