/** docs/reference/limits.md: every limit of the product with its number, what it is of, and what happens beyond it. */
import { LIMITS } from '../src/core/limits.ts'
import { PLAN_LIMITS } from '../src/core/plan/plan-limits.ts'
import { sizeText } from '../src/core/size-text.ts'
import type { GeneratedFile } from './generated-file.ts'

interface Told {
  readonly of: string
  readonly beyond: string
}

/** In the order of the page. The type asks for a line per limit. */
const VALUES: Readonly<Record<keyof typeof LIMITS, Told>> = {
  runInputBytes: { of: "A run's input, as canonical JSON", beyond: '`RUN_INPUT_INVALID`; no run is created' },
  valueBytes: {
    of: "A step's output, the result of an expression, the captured values of a step, the run's output, as canonical JSON",
    beyond:
      '`OUTPUT_INVALID` (output), `EXPR_LIMIT` (expression), `DECISION_DATA_TOO_LARGE` (captures), `INPUT_INVALID` (output of the run)',
  },
  inlinePayloadBytes: {
    of: 'A value that is stored in the log itself',
    beyond: 'a larger value is a blob of the run, named by hash and size; nothing is refused',
  },
  factsBytes: { of: 'The facts of one event (results of conditions)', beyond: '`DECISION_DATA_TOO_LARGE`' },
  errorTextBytes: { of: 'The text of an error, and its stack', beyond: 'cut at the end of a character' },
  planTextHereChars: {
    of: 'Characters of a plan text that is compiled directly',
    beyond: 'a longer text is compiled in a thread that can be stopped',
  },
  planCompileMs: {
    of: 'Time to compile the text of a plan in a thread',
    beyond: '`PLAN_TOO_COSTLY`; the plan is refused',
  },
  planCompileMegabytes: {
    of: 'Memory to compile the text of a plan in a thread',
    beyond: '`PLAN_TOO_COSTLY`; the plan is refused',
  },
  signalBytes: { of: 'A signal with its payload', beyond: '`SIGNAL_INVALID_PAYLOAD`; nothing is recorded' },
  nameBytes: {
    of: 'An id or name from outside: request, actor, role, tenant, project, signal, subscriber, artifact, evidence',
    beyond: '`VALUE_TOO_LARGE` (`TASK_COMPLETION_INVALID` in a completion); nothing is written',
  },
  runIdChars: {
    of: 'Characters of the id of a run, and of a correlation; on Temporal the name of its workflow, with the tenant, has at most 1,000 bytes (about 900 where each is percent-encoded)',
    beyond: '`VALUE_TOO_LARGE`; nothing is written',
  },
  reasonBytes: {
    of: 'The reason of an erasure or of a pause of many runs, and any reason in the log',
    beyond: '`VALUE_TOO_LARGE`; nothing is written',
  },
  signalReasonChars: {
    of: 'Characters of the reason of a signal, and of `queue reject`',
    beyond: '`SIGNAL_INVALID_PAYLOAD`; the signal is recorded as refused',
  },
  stopReasonChars: {
    of: 'Characters of the reason of EMERGENCY_STOP',
    beyond: '`SIGNAL_INVALID_PAYLOAD`; the signal is recorded as refused',
  },
  refusalChars: { of: 'The recorded reason of a refused signal', beyond: 'cut at the end of a character' },
  secretBytes: { of: 'The value of a secret', beyond: '`SECRET_TOO_LARGE`; the step is not called' },
  taskTokenChars: { of: 'The token of a manual task in an address', beyond: '`BODY_INVALID`' },
  notesChars: {
    of: 'Characters of the notes of a completion',
    beyond: '`TASK_COMPLETION_INVALID`; nothing is written',
  },
  notesBytes: { of: 'The notes of a completion', beyond: '`TASK_COMPLETION_INVALID`; nothing is written' },
  actorRolesBytes: {
    of: 'All roles of a person with a completion, as JSON',
    beyond: '`TASK_COMPLETION_INVALID`; nothing is written',
  },
  actorRoles: { of: 'Roles of a person with a completion', beyond: '`TASK_COMPLETION_INVALID`; nothing is written' },
  evidenceRefs: { of: 'Pieces of evidence of a completion', beyond: '`TASK_COMPLETION_INVALID`; nothing is written' },
  evidenceBytes: {
    of: 'All pieces of evidence of a completion, as JSON',
    beyond: '`TASK_COMPLETION_INVALID`; nothing is written',
  },
  inboxRowsPerTask: {
    of: 'Completions of one task, refused ones included',
    beyond: '`TASK_NOT_OPEN`; nothing is written',
  },
  namedByStepBytes: {
    of: 'All names in the end of one attempt, as JSON: pointers to artifacts, captured paths, evidence',
    beyond:
      '`OUTPUT_INVALID` (artifacts), `DECISION_DATA_TOO_LARGE` (with captures); a failed attempt keeps the first pointers that fit',
  },
  contextBytes: {
    of: 'All variables of a run together, as JSON',
    beyond: '`DECISION_DATA_TOO_LARGE`; the attempt that captures fails',
  },
  engineRunRefChars: {
    of: 'Characters of the name of a run on its engine, percent-encoded',
    beyond: '`SCHEMA_VALIDATION_FAILED`; no run is created',
  },
  eventBytes: {
    of: 'The data of an event that is sent to waiting steps, as canonical JSON',
    beyond: '`EVENT_INVALID`; nothing is sent',
  },
  eventKeyBytes: {
    of: 'The key of an event, and of a wait for one',
    beyond: '`EVENT_INVALID`; nothing is sent. A wait whose key is longer fails with `INPUT_INVALID`',
  },
  eventIdBytes: { of: 'The id of an event', beyond: '`EVENT_INVALID`; nothing is sent' },
  eventTtlMs: {
    of: 'How long an event is kept for steps that wait for it later, if its sender does not say',
    beyond: 'it expires: no step gets it any more',
  },
  eventTtlMsMax: { of: 'How long a sender may have an event kept', beyond: '`EVENT_INVALID`; nothing is sent' },
  eventsPerTenant: {
    of: 'Events of one tenant that are kept at a time',
    beyond: '`EVENTS_FULL`; the event is not sent',
  },
  eventsPerKey: {
    of: 'Events with the same name and key that are kept at a time',
    beyond: '`EVENTS_FULL`; the event is not sent',
  },
  signalsPerMinute: {
    of: 'Signals to one run within a minute: from people on every engine, from programs on Temporal',
    beyond: '`SIGNAL_RATE_EXCEEDED`',
  },
  signalsPerActorMinute: {
    of: 'Signals of one person within a minute, in a process',
    beyond: '`SIGNAL_RATE_EXCEEDED`',
  },
  signalsPerTenantMinute: {
    of: 'Signals of one tenant within a minute, in a process',
    beyond: '`SIGNAL_RATE_EXCEEDED`',
  },
  peopleBytes: {
    of: 'All people that a run passes on to its children, its forks and its parent, as JSON',
    beyond: 'the rest is not passed on; then nobody can complete a task there whose rule asks for different people',
  },
  approvalsBytes: {
    of: 'All approvals that a run passes on to a child run, as JSON',
    beyond: 'the first that fit are passed on; the others release nothing in the child',
  },
  fanOutItems: { of: 'Items of one `forEach`', beyond: '`INPUT_INVALID`; the step fails' },
  expressionChars: { of: 'Characters of an expression', beyond: '`EXPR_TOO_COMPLEX`; the plan is refused' },
  expressionDepth: { of: 'Levels of nesting in an expression', beyond: '`EXPR_TOO_COMPLEX`; the plan is refused' },
  expressionLiteralChars: {
    of: 'Characters of a literal in an expression',
    beyond: '`EXPR_TOO_COMPLEX`; the plan is refused',
  },
  expressionWork: {
    of: 'Steps of work of one evaluation (nodes visited and elements touched)',
    beyond: '`EXPR_LIMIT`; the attempt fails',
  },
  mappingWork: {
    of: 'Steps of work of all expressions of one mapping (`with`, `output`, captures) together',
    beyond: '`EXPR_LIMIT`; the attempt fails',
  },
  expressionBytes: {
    of: 'All texts that one evaluation builds, including temporary ones',
    beyond: '`EXPR_LIMIT`; the attempt fails',
  },
  expandedTextBytes: {
    of: 'A text that an expression builds or a `${…}` template expands to',
    beyond: '`EXPR_LIMIT`; the attempt fails',
  },
  schemaBytes: { of: 'A JSON Schema of a plan, as JSON', beyond: '`PLAN_SCHEMA_INVALID`; the plan is refused' },
  schemaDepth: { of: 'Levels of nesting in a JSON Schema', beyond: '`PLAN_SCHEMA_INVALID`; the plan is refused' },
  patternChars: {
    of: 'Characters of a `pattern` (matched in linear time; back-references are refused)',
    beyond: '`PLAN_SCHEMA_INVALID`; the plan is refused',
  },
  schemaWork: {
    of: 'Steps of work to check one value against one schema, including patterns',
    beyond: '`RUN_INPUT_INVALID`, `INPUT_INVALID` or `OUTPUT_INVALID`; the value is refused',
  },
  egressAnswerBytes: { of: 'The body of an answer to an `http` step', beyond: '`RESPONSE_TOO_LARGE`' },
  egressRedirects: { of: 'Redirects that a request follows', beyond: '`REDIRECT_REFUSED`' },
  egressConnectMs: { of: 'Time to find and reach a host', beyond: 'class `transport`, retried by the policy' },
  egressSilenceMs: { of: 'Time that a host may be silent', beyond: 'class `transport`, retried by the policy' },
  commandOutputBytes: {
    of: 'The kept part of stdout (its beginning) and of stderr (its end), each',
    beyond: '`stdoutTruncated`, `stderrTruncated` in the output',
  },
  commandErrorTailBytes: {
    of: 'The end of stderr in the error of a failed program',
    beyond: 'the beginning is cut off',
  },
  cancelGraceMs: {
    of: 'Time that a step has to stop after a cancel',
    beyond: 'it is ended (process) or abandoned (inline)',
  },
  pauseDrainMs: {
    of: 'Time that steps in flight have to end after a pause; `policy.drainTimeoutMs` sets another',
    beyond: 'the alert `PAUSE_DRAIN_TIMEOUT`; the run stays paused',
  },
  queueAllowanceMs: {
    of: 'Time that an attempt may wait in an engine, in addition to its `timeoutMs`',
    beyond: '`TIMEOUT`',
  },
  writeLatencyBudgetMs: {
    of: 'Time that one write of events may take',
    beyond: '`STORE_WRITE_TIMEOUT`; the log is read again before anything is decided',
  },
  stepsLoadMs: {
    of: 'Time to load a steps file (it may use `await`)',
    beyond: '`STEPS_NOT_LOADED`; runs that need it wait, others continue',
  },
  stepsScanBytes: {
    of: 'Size of a steps file in which `plan check` looks for function names',
    beyond: 'not searched; `run` reports missing functions',
  },
  bundleLineBytes: {
    of: 'Size of one line of a bundle',
    beyond: '`BUNDLE_BROKEN`',
  },
  lockNames: {
    of: 'Names of one kind that a lock allows (`--allow-…` with `--locked`)',
    beyond: '`USAGE`; nothing is started',
  },
  lockNameChars: { of: 'Characters of a name that a lock allows', beyond: '`VALUE_TOO_LARGE`; nothing is started' },
  lockBytes: { of: 'Everything that a lock allows, as JSON', beyond: '`VALUE_TOO_LARGE`; nothing is started' },
  runLabels: { of: 'Labels that a plan gives its runs', beyond: 'the plan is refused' },
  labelChars: {
    of: 'Characters of the name or the value of a label',
    beyond: '`RUN_LABEL_INVALID`; nothing is started',
  },
  syncBodyBytes: {
    of: 'The body of a request with `mode=sync`',
    beyond: '413 `PAYLOAD_TOO_LARGE`; nothing is started',
  },
  asyncBodyBytes: { of: 'The body of every other request', beyond: '413 `PAYLOAD_TOO_LARGE`; nothing is changed' },
  bodyKeys: { of: 'Keys in the JSON of a body, in all its objects together', beyond: '400 `BODY_INVALID`' },
  strangerBodyBytes: {
    of: 'The body of a delivery to a trigger',
    beyond: '413 `PAYLOAD_TOO_LARGE`; nothing is read',
  },
  sessionMs: { of: 'A session of a browser; it ends with the token of the issuer if that is earlier', beyond: '401' },
  loginMs: { of: 'How long a person may take to log in with a browser', beyond: '`LOGIN_FAILED`; they log in anew' },
  loginsAtOnce: { of: 'Logins that one browser can have under way', beyond: 'the oldest is given up' },
  loginExchanges: { of: 'Logins that a server finishes at the issuer at a time', beyond: '503 `SERVER_BUSY`' },
  returnToChars: { of: 'Characters of the path that a login leads back to', beyond: '400 `BODY_INVALID`' },
  endedSessions: {
    of: 'Sessions ended by a logout that one process remembers until their time is over',
    beyond: 'all sessions that began before the oldest of them are refused',
  },
  loginWaitMs: { of: 'How long `keelson login` waits for the person', beyond: '`LOGIN_FAILED`' },
  clientTries: {
    of: 'How often the client sends a request that may be repeated while the server is busy',
    beyond: 'the last refusal is thrown',
  },
  clientPatienceMs: { of: 'The longest `Retry-After` that the client waits for', beyond: 'the refusal is thrown' },
  clientAnswerMs: { of: 'How long the client waits for the beginning of an answer', beyond: '`SERVER_UNREACHABLE`' },
  syncWaitMs: { of: 'How long `mode=sync` waits for the end of a run', beyond: '504; the run goes on' },
  eventPageBytes: {
    of: 'One page of events over HTTP; the first fits always',
    beyond: 'the page ends early, and `next` leads on',
  },
  journalBytes: { of: 'One page of a journal over HTTP', beyond: 'the page ends with a mark, and `next` leads on' },
  journalEntryBytes: {
    of: 'One entry of a journal over HTTP',
    beyond: 'it is cut, with a mark and the hash of the whole',
  },
  journalFieldBytes: { of: 'One field of such an entry', beyond: 'it is cut, with a mark and the hash of the whole' },
  idempotencyMs: {
    of: 'How long the answer of a success counts for its `Idempotency-Key`',
    beyond: 'the same key starts another run',
  },
  auditFlushMs: { of: 'How often counted reads are written to the audit log', beyond: 'nothing: they are counted on' },
  auditBacklog: {
    of: 'Audit records of a tenant that wait for a store that is away',
    beyond: 'later ones are lost; the log of the process says so',
  },
  auditCountsKept: { of: 'Persons and actions whose reads are counted at a time', beyond: 'they are written at once' },
  idempotencySweepMs: { of: 'How often old answers are removed', beyond: 'nothing: they no longer count' },
  requestMs: {
    of: 'How long a request may take to arrive',
    beyond: '408 `REQUEST_TOO_SLOW`; the connection is closed',
  },
  headersMs: {
    of: 'How long the headers of a request may take to arrive',
    beyond: '408 `REQUEST_TOO_SLOW`; the connection is closed',
  },
  slowBodyMs: {
    of: 'How long a body may be on its way until who sends it is looked up again',
    beyond: '401 for a key that was revoked meanwhile',
  },
  slowLookMs: { of: 'How often connections are looked at for slow requests', beyond: 'nothing' },
  silentMs: { of: 'How long a connection may be without a byte sent or taken', beyond: 'it is closed' },
  keepAliveMs: { of: 'How long a connection may be idle between two requests', beyond: 'it is closed' },
  urlChars: { of: 'Characters of one part of an address', beyond: '404 `ROUTE_NOT_FOUND`' },
  targetChars: { of: 'Characters of an address with its query', beyond: '414 `URL_TOO_LONG`' },
  headerBytes: { of: 'All headers of a request', beyond: '431 `HEADERS_TOO_LARGE`; the connection is closed' },
  configBytes: { of: 'A configuration file of the server', beyond: '`CONFIG_INVALID`; the server does not start' },
  connections: { of: 'Connections of a server (`limits.connections`)', beyond: 'a further one is closed at once' },
  requestsPerPrincipal: {
    of: 'Requests of one principal in a minute (`limits.ratePerMinute.principal`)',
    beyond: '429 `RATE_EXCEEDED`',
  },
  requestsPerTenant: {
    of: 'Requests of one tenant in a minute (`limits.ratePerMinute.tenant`)',
    beyond: '429 `RATE_EXCEEDED`',
  },
  requestsPerAddress: {
    of: 'Deliveries of one address in a minute whose signature does not fit, and as many logins that fail (`limits.ratePerMinute.address`)',
    beyond: '429 `RATE_EXCEEDED`',
  },
  busyLoopMs: { of: 'How late timers of the server may come, three times in a row', beyond: '503 `SERVER_BUSY`' },
  busyHeapPercent: { of: 'Percent of the memory that V8 may use', beyond: '503 `SERVER_BUSY`' },
  stopRequestsMs: { of: 'How long requests may take to end when the server stops', beyond: 'they are cut off' },
  stopMs: { of: 'How long the server may take to stop', beyond: 'the process ends' },
  streamsPerPrincipal: { of: 'Open streams of one principal', beyond: 'RATE_EXCEEDED (429)' },
  streamKeepAliveMs: { of: 'Silence of a stream', beyond: 'a comment line is sent' },
  streamWhoMs: {
    of: 'How long a stream goes on whose reader is no longer known (a revoked key, a token that is over)',
    beyond: 'it is ended',
  },
  streamMovesMs: { of: 'Between two messages of `GET /v1/stream`', beyond: 'later moves are in the next one' },
  streamPageBytes: {
    of: 'Events of one run read for its streams at a time',
    beyond: 'the rest is read when it can be sent',
  },
  streamCacheBytes: { of: 'Events kept for all streams of a process', beyond: 'the oldest are read again' },
  streamMovedRuns: { of: 'Runs in one message of `GET /v1/stream`', beyond: 'it says `resync`' },
  streamResumeAppends: { of: 'Appends read when `GET /v1/stream` is resumed', beyond: 'it says `resync`' },
  scheduleOnTimeMs: {
    of: 'How late an occurrence of a schedule may be started and still be on time',
    beyond: 'it was missed: `catchUp` says whether it is made up for',
  },
  scheduleCatchUp: { of: 'The largest `catchUpMax` of a schedule', beyond: '`SCHEDULE_INVALID`' },
  scheduleBackfillRuns: { of: 'Runs of one backfill at a time', beyond: '400 `BODY_INVALID`' },
  scheduleBackfill: { of: 'Occurrences of one backfill', beyond: '`SCHEDULE_INVALID`' },
  scheduleEveryMs: { of: 'The shortest `every` of a schedule', beyond: '`SCHEDULE_INVALID`' },
  scheduleJitterMs: { of: 'The longest `jitter` of a schedule', beyond: '`SCHEDULE_INVALID`' },
  scheduleLookMs: {
    of: 'How long a change of a schedule by another process may stay unseen',
    beyond: 'it is looked for',
  },
  scheduleClaimMs: { of: 'How long one process works on one schedule', beyond: 'another process goes on with it' },
  scheduleWaitMs: {
    of: 'Between two looks for the end of a run that an occurrence waits for',
    beyond: 'it is looked for',
  },
  scheduleWaiting: {
    of: 'Occurrences of one schedule that wait for the run before them (`overlap: queue`)',
    beyond: 'the oldest is left out',
  },
  deliverySkewMs: {
    of: 'How far the time in the signature of a delivery may be from now',
    beyond: '401 `NOT_AUTHENTICATED`',
  },
  deliveriesKept: { of: 'Deliveries of one trigger that are kept to look at', beyond: 'the oldest are dropped' },
  alertsWaiting: { of: 'Alerts that wait to be sent to a webhook', beyond: '`ALERT_NOT_DELIVERED`' },
  alertTries: { of: 'How often an alert is sent to a webhook', beyond: '`ALERT_NOT_DELIVERED`' },
  alertSendMs: { of: 'One try to send an alert', beyond: 'it is tried again' },
  alertPersistsMs: {
    of: 'How long an alert that only informs comes back before it is sent',
    beyond: 'it is sent once, as P2',
  },
  securityAlertMs: {
    of: 'Between two security alerts about the same person and action',
    beyond: 'the next one is told',
  },
  fleetRuns: { of: 'Runs of one operation on many', beyond: '`OPERATION_TOO_LARGE`' },
  fleetExamined: { of: 'Runs that the preview of an operation looks at', beyond: 'the others are only counted' },
  fleetClaimMs: {
    of: 'How long one process works on an operation without a sign',
    beyond: 'another process carries it on',
  },
  fleetWaitMs: { of: 'How long an operation rests after a round that reached no run', beyond: 'it tries again' },
  scheduleBytes: { of: 'A schedule or a trigger as it is stored', beyond: '`SCHEDULE_INVALID`, `TRIGGER_INVALID`' },
  workClaims: { of: 'Steps that one request of a remote worker is given (`max`)', beyond: '400 `BODY_INVALID`' },
  workQueues: { of: 'Queues that one request of a remote worker names', beyond: '400 `BODY_INVALID`' },
  workLogLines: { of: 'Log lines in one report of a remote worker', beyond: '400 `BODY_INVALID`' },
  workLogLineChars: { of: 'Characters of one log line in a report of a remote worker', beyond: '400 `BODY_INVALID`' },
  workHandlers: { of: 'Functions that one request of a remote worker names', beyond: '400 `BODY_INVALID`' },
  workWaitMs: { of: 'How long a request for work waits for some (`waitMs`)', beyond: '400 `BODY_INVALID`' },
  workAnswerBytes: { of: 'Inputs of steps in one answer to a remote worker', beyond: 'it is given fewer steps' },
  workLeaseMs: {
    of: 'How long a claim counts without a heartbeat, unless the worker says otherwise',
    beyond: 'the step is handed out again; an irreversible one is `INDETERMINATE`',
  },
  workLeaseMsMin: { of: 'The shortest `leaseMs` of a remote worker', beyond: '400 `BODY_INVALID`' },
  workLeaseMsMax: { of: 'The longest `leaseMs` of a remote worker', beyond: '400 `BODY_INVALID`' },
  workHeartbeatMs: {
    of: 'Between two heartbeats of a claim, as workers are told',
    beyond: 'it hears later of a cancel',
  },
  workLookMs: {
    of: 'How long work that another process offered, or its report, may stay unseen',
    beyond: 'it is looked for',
  },
  workKeptMs: { of: 'How long work that is over is kept for late reports, at least', beyond: 'it is dropped' },
  workSweepMs: { of: 'Between two looks for work that is over', beyond: 'it is looked for' },
  workersKeptMs: { of: 'How long a worker that asks no more is listed', beyond: 'it is forgotten' },
  workersShown: { of: 'Workers that are listed, those that asked last', beyond: 'older ones are left out' },
  concurrencyMin: { of: 'The smallest `policy.concurrency` (the default is 10)', beyond: 'the plan is refused' },
  concurrencyMax: { of: 'The largest `policy.concurrency`', beyond: 'the plan is refused' },
  appendEvents: { of: 'Events of one append', beyond: 'the rest follows in the next append; nothing is refused' },
  fetchPageEvents: { of: 'Events that are read at once', beyond: 'the next page is read' },
  checkpointEveryEvents: { of: 'Events between two snapshots of a run, at least', beyond: 'a snapshot is kept' },
  limitUnits: { of: 'Runs at once, or starts in a minute, that a limit can allow', beyond: '`LIMIT_INVALID`' },
  viewIdChars: { of: 'Id of a saved view', beyond: '`VIEW_INVALID`' },
  viewNameChars: { of: 'Name of a saved view', beyond: '`VIEW_INVALID`' },
  viewFilterChars: { of: 'Filter of a saved view', beyond: '`VIEW_INVALID`' },
  viewsOfPerson: { of: 'Saved views of one person', beyond: '`VIEW_INVALID`' },
  viewsShared: { of: 'Saved views that a tenant shares', beyond: '`VIEW_INVALID`' },
  admissionRetryMs: {
    of: 'Until a start that found no room is tried again, unless a window of time says it',
    beyond: 'it is tried; a place that becomes free is used at once',
  },
  busyYoungHeapBytes: {
    of: 'Young generation of a server under load, and with `heapGrowsWhenBusy`',
    beyond: 'it does not grow further',
  },
  youngHeapBytes: {
    of: 'Young generation of the process, with `smallHeap` and on the command line',
    beyond: 'it does not grow further',
  },
  oldHeapGrowthPercent: {
    of: 'Growth of the old generation in percent, with `smallHeap` and on the command line',
    beyond: 'it is collected',
  },
  planBytes: { of: "A plan's text", beyond: '`PLAN_TOO_LARGE`' },
  planUriChars: { of: 'The `uri` of a reference to a plan', beyond: '`PLAN_REF_INVALID`' },
  planSteps: { of: 'Steps of a plan', beyond: 'the plan is refused' },
  textFileBytes: { of: 'A file that a command reads as text', beyond: '`VALUE_TOO_LARGE`; exit code 2' },
  childDepth: {
    of: 'Runs above a run: its parent, the parent of that, and so on',
    beyond: '`CHILD_TOO_DEEP`; the step that would start it fails',
  },
  childPlans: {
    of: 'Plans that a plan can reach through its `plan` steps',
    beyond: '`PLAN_TOO_LARGE`; no run is created',
  },
  findingsBytes: {
    of: 'Warnings, errors or capability checks from holding a plan against its engine, as JSON, in the log of its run',
    beyond: 'the first that fit are kept',
  },
}

const PLANS: Readonly<Record<keyof typeof PLAN_LIMITS, Told>> = {
  textChars: {
    of: 'A text of a plan that has no smaller limit: `description` of a plan or step, instructions, arguments',
    beyond: 'the plan is refused',
  },
  idChars: { of: 'An id or a name', beyond: 'the plan is refused' },
  depth: { of: 'Levels of nesting of a plan document', beyond: '`PLAN_TOO_DEEP`' },
  aliases: { of: 'YAML aliases of a plan', beyond: '`PLAN_ALIAS_LIMIT`' },
  yamlTokens: {
    of: 'Tokens of a plan in YAML, including blanks and line ends',
    beyond: '`PLAN_TOO_LARGE`; JSON has no such limit',
  },
  documentValues: { of: 'Values of a plan document from a program', beyond: '`PLAN_TOO_LARGE`' },
  pathSegments: { of: 'Parts of a dotted path such as `order.total`', beyond: 'the plan is refused' },
  stepResources: { of: 'Resources that one step holds', beyond: 'the plan is refused' },
  retryAttemptsMax: { of: 'The largest `retry.maxAttempts`', beyond: 'the plan is refused' },
  durationMsMax: { of: 'A duration in a plan (a year)', beyond: 'the plan is refused' },
  problems: { of: 'Reported problems of one plan', beyond: 'the rest is not reported' },
}

/** 10,485,760 bytes is said as 10 MiB too: a person looks for either. */
function numberOf(name: string, value: number): string {
  const written = value.toLocaleString('en-US')
  if (name.endsWith('Bytes')) {
    return value < 1024 ? `${written} bytes` : `${written} bytes (${sizeText(value)})`
  }
  return name.includes('Ms') ? `${written} ms` : written
}

function rows<K extends string>(
  told: Readonly<Record<K, Told>>,
  numbers: Readonly<Record<K, number>>,
): readonly string[] {
  return (Object.keys(told) as K[]).map(
    (name) => `| ${told[name].of} | ${numberOf(name, numbers[name])} | ${told[name].beyond} |`,
  )
}

export function limitsPage(): GeneratedFile {
  const table = ['| what | limit | beyond the limit |', '|---|---|---|']
  const text = [
    '# Limits',
    '',
    '<!-- Generated from src/core/limits.ts and src/core/plan/plan-limits.ts by `npm run docs`. -->',
    '',
    'An error about a size shows the actual size, if it is known, and the allowed size. Sizes are',
    'bytes of UTF-8; a value is measured as canonical JSON (see [log.md](log.md)).',
    '',
    '## Values, steps and runs',
    '',
    ...table,
    ...rows(VALUES, LIMITS),
    '',
    '## Plans',
    '',
    ...table,
    ...rows(PLANS, PLAN_LIMITS),
    '',
    '## Numbers',
    '',
    'A JSON number is a double. Text from outside (`--input`, `--set`, `--result`, answers, JSON that a program writes, plans) is',
    'never changed. It is refused with its place when it contains one of these:',
    '',
    '- a whole number beyond ±9007199254740991 (2^53 − 1);',
    '- a number that is too large or too small for a double (`1e400`, `1e-400`);',
    '- half of a Unicode character, or bytes that are not UTF-8;',
    '- the same key twice in one object.',
    '',
    '`bigints: text` of an `http` or `command` step turns such whole numbers into text with the same digits. A number with an',
    'exponent is kept if it can be written back unchanged (`1e20`). A fraction becomes the nearest double, which keeps 15 digits.',
    'A JavaScript number from a program is used as it is: Keelson cannot know its original text. A BigInt, NaN or',
    'Infinity is refused with its place.',
    '',
  ]
  return { path: 'docs/reference/limits.md', text: text.join('\n') }
}
