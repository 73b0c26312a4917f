"""The rules of docs/reference/log.md for the events of one run: bytes, keys, hashes, and what may follow what."""
import hashlib
import re

from canonical import NotCanonical, read, write

HEX = re.compile(r"^[0-9a-f]{64}$")
SALT = re.compile(r"^[0-9a-f]{32}$")
STEP_EVENTS = ("StepStarted", "StepCompleted", "StepFailed", "StepSkipped")
COMPENSATION_EVENTS = ("CompensationStarted", "CompensationCompleted", "CompensationFailed")
RUN_SLOT_EVENTS = (
    "RunQueued RunValidated RunApproved RunStarted RunPaused RunResumed RunCompleted RunFailed RunCancelled "
    "EngineHandoff RulesUpgraded ErasureRecorded"
).split()
ALERTS = ("AlertRaised", "AlertEscalated")
OTHERS = ("FanOutExpanded", "SignalAccepted", "SignalRejected", "ManualTaskOpened", "LateOutcomeRecorded", "RunForked")
KNOWN = set(STEP_EVENTS + COMPENSATION_EVENTS + ALERTS + OTHERS) | set(RUN_SLOT_EVENTS)
ATTEMPT_ONE = set("RunQueued RunValidated RunApproved RunStarted RunCompleted RunFailed RunCancelled FanOutExpanded".split())
ATTEMPT_ONE |= {"SignalAccepted", "SignalRejected", "AlertRaised", "RunForked"}
SAME_IN_ALL = ("runId", "tenantId", "projectId", "environmentId", "planId", "planVersion")

RUN_MOVES = {
    "PENDING": {"RunQueued": "PENDING", "RunValidated": "PENDING", "RunApproved": "APPROVED", "RunFailed": "FAILED", "RunCancelled": "CANCELLED"},
    "APPROVED": {"RunQueued": "APPROVED", "RunStarted": "RUNNING", "RunFailed": "FAILED", "RunCancelled": "CANCELLED"},
    "RUNNING": {"RunPaused": "PAUSED", "RunCompleted": "COMPLETED", "RunFailed": "FAILED", "RunCancelled": "CANCELLED"},
    "PAUSED": {"RunResumed": "RUNNING", "RunCancelled": "CANCELLED"},
    "COMPLETED": {},
    "FAILED": {},
    "CANCELLED": {},
}
RUN_MOVERS = {name for moves in RUN_MOVES.values() for name in moves}
ATTEMPT_MOVES = {
    "PENDING": {"StepStarted": "RUNNING", "StepSkipped": "SKIPPED"},
    "RUNNING": {"StepCompleted": "SUCCESS", "StepFailed": "FAILED"},
}
COMPENSATION_MOVES = {
    "PENDING": {"CompensationStarted": "RUNNING"},
    "RUNNING": {"CompensationCompleted": "DONE", "CompensationFailed": "FAILED"},
}
ENDS = {"RunCompleted": "completedAt", "RunFailed": "failedAt", "RunCancelled": "cancelledAt"}
ENDED = ("COMPLETED", "FAILED", "CANCELLED")
AFTER_END = set("SignalAccepted SignalRejected LateOutcomeRecorded RunForked AlertRaised AlertEscalated ErasureRecorded".split())


class Broken(Exception):
    pass


def sha256(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else part.encode("utf-8"))
    return digest.hexdigest()


def canonical_value(text, what):
    try:
        value = read(text)
        if write(value) != text:
            raise Broken("%s is not canonical JSON" % what)
        return value
    except NotCanonical as error:
        raise Broken("%s is not canonical JSON: %s" % (what, error))


class Log:
    """Takes the events of one run in their order; raises Broken at the first that does not fit."""

    def __init__(self):
        self.previous = bytes(32)
        self.first = None
        self.last_seq = 0
        self.status = "PENDING"
        self.attempts = {}
        self.highest = {}
        self.keys = set()
        self.ids = set()
        self.raised = []
        self.decision = None
        self.without_data = []
        self.erased_up_to = 0
        self.refs = []
        self.hashes = {}
        self.started = None
        self.ended = None
        self.engine = None
        self.rules = None
        self.count = 0

    def take(self, record_text, data_text, salt, chain_hash):
        record = canonical_value(record_text, "its record")
        if not isinstance(record, dict):
            raise Broken("its record is not an object")
        if not isinstance(chain_hash, str) or not HEX.match(chain_hash):
            raise Broken("its chainHash is not 64 hex digits")
        if sha256(self.previous, record_text) != chain_hash:
            raise Broken("its chainHash does not follow from the one before and its record")
        data = self._data(record, data_text, salt)
        self._place(record)
        self._key(record)
        if record["eventType"] in KNOWN:
            self._move(record)
        self._note(record, data, chain_hash)
        return record

    def _data(self, record, data_text, salt):
        if (data_text is None) != (salt is None):
            raise Broken("it has data without salt, or salt without data")
        if data_text is None:
            if record.get("dataHash") is not None:
                self.without_data.append(record["runSeq"])
            return None
        if not SALT.match(salt):
            raise Broken("its salt is not 16 bytes in hex")
        if record.get("dataHash") != sha256(bytes.fromhex(salt), data_text):
            raise Broken("its data does not have the dataHash of its record")
        return canonical_value(data_text, "its data")

    def _place(self, record):
        seq = record["runSeq"]
        if not isinstance(seq, int) or seq <= self.last_seq:
            raise Broken("runSeq %r does not come after %d" % (seq, self.last_seq))
        if self.first is None:
            self.first = record
        for name in SAME_IN_ALL:
            if record.get(name) != self.first.get(name):
                raise Broken("its %s is not that of the first event" % name)
        if record["eventId"] in self.ids:
            raise Broken("its eventId was used before")
        self.ids.add(record["eventId"])
        decision = record["decision"]
        if self.decision is None or self.decision["firstSeq"] != decision["firstSeq"]:
            if decision["firstSeq"] != seq:
                raise Broken("decision.firstSeq is not the runSeq of the first event of its decision")
            self.decision = decision
        elif decision["cause"] != self.decision["cause"]:
            raise Broken("one decision has two causes")

    def _key(self, record):
        kind, attempt = record["eventType"], record["logicalAttemptId"]
        if record["idempotencyKey"] in self.keys:
            raise Broken("its idempotencyKey was used before")
        self.keys.add(record["idempotencyKey"])
        if kind not in KNOWN:
            return
        if kind in ATTEMPT_ONE and attempt != 1:
            raise Broken("its attempt must be 1")
        tail = "|%s|%s|%s" % (attempt, kind, record["planVersion"])
        if not any(sha256(record["runId"] + "|" + slot + tail) == record["idempotencyKey"] for slot in self.slots(record)):
            raise Broken("its idempotencyKey does not follow from its fields")

    def slots(self, record):
        """Of an alert there may be several: the decision that raised it is one of those before."""
        kind, payload = record["eventType"], record.get("payload") or {}
        about = step_slot(record)
        if kind in STEP_EVENTS or kind == "FanOutExpanded":
            return [about]
        if kind in COMPENSATION_EVENTS:
            return ["COMP:" + about]
        if kind == "ManualTaskOpened":
            return ["TASK:%s:%s" % (about, payload["attempt"])]
        if kind == "LateOutcomeRecorded":
            return ["LATE:%s%s:%s" % ("COMP:" if payload.get("compensation") else "", about, payload["attempt"])]
        if kind in ("SignalAccepted", "SignalRejected"):
            return ["SIGNAL:" + payload["signalId"]]
        if kind == "RunForked":
            return ["FORK:" + payload["newRunId"]]
        if kind in ALERTS:
            seqs = [record["decision"]["firstSeq"]] + self.raised
            return ["ALERT:%s:%s:%s" % (payload["code"], about or "RUN", seq) for seq in seqs]
        return ["RUN"]

    def _move(self, record):
        kind = record["eventType"]
        if self.status in ENDED and kind not in AFTER_END:
            raise Broken("%s after the end of the run" % kind)
        if kind in RUN_MOVERS:
            following = RUN_MOVES[self.status].get(kind)
            if following is None:
                raise Broken("%s while the run is %s" % (kind, self.status))
            self.status = following
        if kind in STEP_EVENTS:
            if self.status not in ("RUNNING", "PAUSED"):
                raise Broken("%s while the run is %s" % (kind, self.status))
            self._attempt(step_slot(record), record, ATTEMPT_MOVES)
        if kind in COMPENSATION_EVENTS:
            self._attempt("COMP:" + step_slot(record), record, COMPENSATION_MOVES)

    def _attempt(self, slot, record, moves):
        kind, attempt = record["eventType"], record["logicalAttemptId"]
        before = self.attempts.get((slot, attempt), "PENDING")
        following = moves.get(before, {}).get(kind)
        if following is None:
            raise Broken("%s of %s, attempt %s, which is %s" % (kind, slot, attempt, before))
        if before == "PENDING" and attempt != self.highest.get(slot, 0) + 1:
            raise Broken("attempt %s of %s begins, but the one before was %s" % (attempt, slot, self.highest.get(slot, 0)))
        self.attempts[(slot, attempt)] = following
        self.highest[slot] = attempt

    def _note(self, record, data, chain_hash):
        kind, payload = record["eventType"], record.get("payload") or {}
        if kind == "AlertRaised":
            self.raised.append(record["decision"]["firstSeq"])
        if kind == "ErasureRecorded":
            self.erased_up_to = max(self.erased_up_to, payload["erasedUpTo"])
        if kind == "RunStarted":
            self.started, self.rules = payload, payload["rulesVersion"]
        if kind in ENDS:
            self.ended = payload[ENDS[kind]]
        if kind == "RulesUpgraded":
            self.rules = payload["to"]
        if kind in ("RunStarted", "EngineHandoff"):
            self.engine = (payload["toEngine"] if kind == "EngineHandoff" else payload["engineType"], payload["engineRunRef"])
        for name in ("inputRef", "resultRef", "outputRef"):
            if name in payload:
                self.refs.append((record["runSeq"], payload[name]["sha256"]))
        for capture in payload.get("captures", []):
            if "ref" in capture:
                self.refs.append((record["runSeq"], capture["ref"]["sha256"]))
        if kind == "FanOutExpanded":
            self.refs.append((record["runSeq"], payload["sha256"]))
        self.hashes[record["runSeq"]] = chain_hash
        self.previous = bytes.fromhex(chain_hash)
        self.last_seq = record["runSeq"]
        self.count += 1

    def head(self):
        return self.previous.hex()

    def missing_data(self):
        return [seq for seq in self.without_data if seq > self.erased_up_to]


def step_slot(record):
    """At the root of a step event, which may name its parts beside it; in the payload of any other."""
    if record["eventType"] not in STEP_EVENTS:
        if "stepId" in record:
            raise Broken("it is no step event and has a stepId at its root")
        return (record.get("payload") or {}).get("stepId")
    slot = record["stepId"]
    parts = record.get("parentStepId", slot)
    if "itemIndex" in record:
        parts += "[%d]" % record["itemIndex"]
    if record.get("role") == "fallback":
        parts = "FALLBACK:" + parts
    if parts != slot:
        raise Broken("its stepId %s is not what the fields beside it say: %s" % (slot, parts))
    return slot
