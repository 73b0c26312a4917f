/**
 * Every limit of the product that is a plain number, in one place. `npm run docs` writes docs/reference/limits.md from
 * this table; a limit without a description for that page does not compile.
 */
export const LIMITS = {
  inlinePayloadBytes: 64 * 1024,
  runInputBytes: 10 * 1024 * 1024,
  /**
   * For every value that passes between steps: an output, the result of an expression, captured values, the run's
   * output.
   */
  valueBytes: 10 * 1024 * 1024,
  planBytes: 8 * 1024 * 1024,
  /** Where a reference says that a plan lies. */
  planUriChars: 2_048,
  /** A longer plan text is compiled in a thread that can be ended. */
  planTextHereChars: 64 * 1024,
  planCompileMs: 60_000,
  planCompileMegabytes: 1_024,
  errorTextBytes: 8 * 1024,
  factsBytes: 16 * 1024,
  expressionChars: 4_096,
  expressionDepth: 10,
  expressionLiteralChars: 1_024,
  /** Nodes visited plus elements touched: enough to filter 100,000 items by a condition of several parts. */
  expressionWork: 2_000_000,
  /** For all expressions of one mapping (`with`, `output`, captures) together. */
  mappingWork: 10_000_000,
  /** For all texts that one evaluation builds, kept or not. */
  expressionBytes: 32 * 1024 * 1024,
  /** For a text that an expression builds or a template expands to. */
  expandedTextBytes: 64 * 1024,
  schemaBytes: 256 * 1024,
  schemaDepth: 64,
  patternChars: 1_024,
  /** Checks of a schema part against a value part, and of a pattern state against a character. */
  schemaWork: 20_000_000,
  appendEvents: 500,
  fanOutItems: 100_000,
  signalBytes: 64 * 1024,
  /** For every id and name from outside: requests, actors, tenants, projects, evidence. */
  nameBytes: 255,
  /** For the id of a run, and for a correlation: characters, not bytes. */
  runIdChars: 255,
  /** For the text by which an event names an engine's own run: ids in it are percent-encoded. */
  engineRunRefChars: 2_800,
  reasonBytes: 8 * 1024,
  /** For the reason of a signal, and of an emergency stop (SIG-02). */
  signalReasonChars: 500,
  stopReasonChars: 1_000,
  /** For the recorded reason of a refusal: the rest is cut. */
  refusalChars: 1_000,
  /** The largest file of certificates that is in common use fits. */
  secretBytes: 256 * 1024,
  notesBytes: 16 * 1024,
  notesChars: 8 * 1024,
  taskTokenChars: 768,
  evidenceRefs: 100,
  /** Roles of a person that are told with a completion, and all of them as JSON. */
  actorRoles: 32,
  actorRolesBytes: 4 * 1024,
  /** As JSON, all evidence of one completion. */
  evidenceBytes: 32 * 1024,
  /** As JSON, everything that the end of one attempt names: pointers to artifacts, captured paths, evidence. */
  namedByStepBytes: 40 * 1024,
  /** All variables of a run together, as JSON. */
  contextBytes: 16 * 1024 * 1024,
  /** After this many refused completions of one task, further ones are not accepted. */
  inboxRowsPerTask: 100,
  signalsPerMinute: 60,
  signalsPerActorMinute: 300,
  signalsPerTenantMinute: 1_200,
  /** For the data of an event that is sent to waiting steps, as JSON. */
  eventBytes: 64 * 1024,
  eventKeyBytes: 512,
  eventIdBytes: 200,
  /** How long an event is kept for steps that wait for it later, where its sender does not say. */
  eventTtlMs: 7 * 24 * 60 * 60 * 1000,
  eventTtlMsMax: 365 * 24 * 60 * 60 * 1000,
  /** Events that are kept at a time, of one tenant and of one name and key. */
  eventsPerTenant: 100_000,
  eventsPerKey: 1_000,
  planSteps: 100_000,
  /** With the longest names, all of them fit into one event, together with everything else about the start of a run. */
  childPlans: 100,
  /** As JSON, for the findings of checking a plan against its engine. */
  findingsBytes: 8 * 1024,
  /** As JSON, for all people that one run reports to another. */
  peopleBytes: 16 * 1024,
  /** As JSON, for all approvals that a run passes to its children. */
  approvalsBytes: 16 * 1024,
  cancelGraceMs: 5_000,
  /** How long work in flight may take after a pause before people are told, where the plan does not say (CON-05). */
  pauseDrainMs: 5 * 60 * 1000,
  /** How long one write of events may take (LAT-01). */
  writeLatencyBudgetMs: 3_000,
  queueAllowanceMs: 30 * 60 * 1000,
  fetchPageEvents: 1_000,
  checkpointEveryEvents: 1_000,
  /** When no window of time says when a limit for starts has room again: after this it is asked again. */
  admissionRetryMs: 5_000,
  /** The most that one limit for starts can allow. */
  limitUnits: 1_000_000,
  /** Saved views of the list of runs. */
  viewIdChars: 64,
  viewNameChars: 80,
  viewFilterChars: 1_000,
  viewsOfPerson: 50,
  viewsShared: 200,
  /** With `smallHeap`: what the young generation of V8 grows to, both halves together. */
  youngHeapBytes: 32 * 1024 * 1024,
  /** With `heapGrowsWhenBusy`: the same, while a process is busy. */
  busyYoungHeapBytes: 128 * 1024 * 1024,
  /** With `smallHeap`: old objects are collected when they have grown by this. */
  oldHeapGrowthPercent: 50,
  concurrencyMin: 1,
  concurrencyMax: 10_000,
  egressAnswerBytes: 10 * 1024 * 1024,
  egressRedirects: 5,
  egressConnectMs: 10_000,
  egressSilenceMs: 30_000,
  commandOutputBytes: 64 * 1024,
  commandErrorTailBytes: 2 * 1024,
  /** How long a steps file may take to load, including its top-level awaits. */
  stepsLoadMs: 30_000,
  /** Of a file that a command reads as text, where nothing smaller holds: an input, a workflow to import. */
  textFileBytes: 64 * 1024 * 1024,
  /** Runs above a run: a plan that starts itself ends there. */
  childDepth: 32,
  /** Of a steps file whose names are looked up in its text, without running it. */
  stepsScanBytes: 4 * 1024 * 1024,
  /** For one line of a bundle: a value of the largest size, escaped, fits several times. */
  bundleLineBytes: 256 * 1024 * 1024,
  /** Names of one kind that a lock allows. */
  lockNames: 200,
  lockNameChars: 1_000,
  /** As JSON, everything that a lock allows. */
  lockBytes: 32 * 1024,
  /** Labels that a plan gives its runs. */
  runLabels: 16,
  /** Of the name and of the value of a label. */
  labelChars: 200,
  /** Of a body whose answer is waited for (API-01). */
  syncBodyBytes: 1_048_576,
  /** Of every other body (API-01). */
  asyncBodyBytes: 10_485_760,
  /** Of the JSON in a body, in all its objects together. */
  bodyKeys: 200_000,
  /** Of a body whose sender is not known before it is read: a delivery to a trigger. */
  strangerBodyBytes: 1_048_576,
  /** How long `mode=sync` waits for the end of a run (API-02). */
  syncWaitMs: 30_000,
  /** Of one page of events over HTTP; the first fits always. */
  eventPageBytes: 8 * 1024 * 1024,
  /** Of one page of a journal (API-01, API-17). */
  journalBytes: 10_485_760,
  /** Of one entry of a journal, and of one field of it (API-16). */
  journalEntryBytes: 8_192,
  journalFieldBytes: 1_024,
  /** How long the answer of a success counts for its idempotency key (IDC-01), and how often old ones are swept (IDC-04). */
  idempotencyMs: 600_000,
  idempotencySweepMs: 60_000,
  auditFlushMs: 60_000,
  auditBacklog: 10_000,
  auditCountsKept: 1_000,
  /** How long a request may take to arrive. */
  requestMs: 30_000,
  keepAliveMs: 10_000,
  /** How long the headers of a request may take to arrive. */
  headersMs: 10_000,
  /** How often connections are looked at for these two. */
  slowLookMs: 2_000,
  /** Who sends a body for longer is looked up again before anything is done with it. */
  slowBodyMs: 1_000,
  /** A connection on which nothing is sent or taken for so long is closed. */
  silentMs: 120_000,
  /** Of a path parameter. */
  urlChars: 2_048,
  /** Of a whole address with its query. */
  targetChars: 8_192,
  headerBytes: 16_384,
  /** Of keelson.config.yaml. */
  configBytes: 256 * 1024,
  connections: 20_000,
  /** Requests of one principal, and of all principals of a tenant; as many may come at once. */
  requestsPerPrincipal: 6_000,
  requestsPerTenant: 30_000,
  /** Deliveries of one address whose signature does not fit, or is not looked at yet; and as many logins that fail. */
  requestsPerAddress: 300,
  /** How late timers of the server may be, three times in a row, and how much of the memory may be in use, before requests are refused. */
  busyLoopMs: 1_000,
  busyHeapPercent: 92,
  /** What is under way when the server stops may take so long. */
  stopRequestsMs: 5_000,
  /** From the request to stop until the process ends. */
  stopMs: 10_000,
  /** Streams that one principal has open at a time. */
  streamsPerPrincipal: 100,
  /** After this long without an event a stream gets a comment, so that nobody between takes it for dead. */
  streamKeepAliveMs: 15_000,
  /** How long somebody may read on who is no longer known: a revoked key, a token that is over. */
  streamWhoMs: 60_000,
  /** Between two messages of a tenant's stream; and how often other processes' appends are looked for. */
  streamMovesMs: 250,
  /** Events of one run that are read for its streams at a time, and what is kept of them for all streams together. */
  streamPageBytes: 128 * 1024,
  streamCacheBytes: 8 * 1024 * 1024,
  /** Runs that one message of a tenant's stream names, and appends that are read after a reconnection. Beyond: `resync`. */
  streamMovedRuns: 1_000,
  streamResumeAppends: 20_000,
  /** From the login of a browser to the end of its session, where the issuer's token does not end before. */
  sessionMs: 8 * 60 * 60 * 1000,
  /** From the way to the issuer until the way back, and how many such ways one browser can be on. */
  loginMs: 10 * 60 * 1000,
  loginsAtOnce: 3,
  /** Codes that a server exchanges at the issuer at a time. */
  loginExchanges: 32,
  /** Of the path that a login leads back to. */
  returnToChars: 512,
  /** Sessions that were ended before their time, as one process remembers them. */
  endedSessions: 10_000,
  /** How long the command line waits for a person who logs in. */
  loginWaitMs: 5 * 60 * 1000,
  /** How often the client sends a request that may be repeated, while the server is busy. */
  clientTries: 4,
  /** The longest `Retry-After` that the client waits for. */
  clientPatienceMs: 60_000,
  /** How long the client waits for the beginning of an answer. */
  clientAnswerMs: 60_000,
  /** An occurrence of a schedule that is started within this time is on time; an older one was missed. */
  scheduleOnTimeMs: 60_000,
  /** Missed occurrences that one schedule makes up for at once, and those of one backfill that run at once. */
  scheduleCatchUp: 1_000,
  scheduleBackfillRuns: 100,
  /** Occurrences of one backfill. */
  scheduleBackfill: 100_000,
  /** The shortest distance between two occurrences, and the longest jitter. */
  scheduleEveryMs: 1_000,
  scheduleJitterMs: 86_400_000,
  /** How often schedules are looked at that another process may have changed; and how long one process works on one of them. */
  scheduleLookMs: 15_000,
  scheduleClaimMs: 30_000,
  /** How often a schedule that waits for the end of a run looks for it. */
  scheduleWaitMs: 1_000,
  /** Occurrences that wait for the run before them. */
  scheduleWaiting: 1_000,
  /** How far the time in the signature of a delivery may be away, and how many deliveries of a trigger are kept to look at. */
  deliverySkewMs: 300_000,
  deliveriesKept: 1_000,
  /** Of a schedule or a trigger as it is kept. */
  scheduleBytes: 256 * 1024,
  /** Alerts that wait to be sent to an address, how often one is tried, and how long one try may take. */
  alertsWaiting: 1_000,
  alertTries: 8,
  alertSendMs: 10_000,
  /** An alert that only informs wakes somebody when it has come back for this long. */
  alertPersistsMs: 300_000,
  /** Between two security alerts about the same person and action. */
  securityAlertMs: 60_000,
  /** Runs of one operation on many, and those of them that a preview looks at one by one. */
  fleetRuns: 50_000,
  fleetExamined: 200,
  /** How long one process works on an operation without a sign, and how long a round that brought nothing on is followed by rest. */
  fleetClaimMs: 30_000,
  fleetWaitMs: 2_000,
  /** What one request for work may be given, ask for, and wait. */
  workClaims: 32,
  workQueues: 32,
  workHandlers: 1_000,
  workWaitMs: 30_000,
  /** What a report may tell of its work for people, and how long a line is. */
  workLogLines: 1_000,
  workLogLineChars: 2_000,
  /** Inputs that one answer holds; the first fits always. */
  workAnswerBytes: 10 * 1024 * 1024,
  /** How long a claim counts without a heartbeat: where the worker does not say, at least, and at most. */
  workLeaseMs: 30_000,
  workLeaseMsMin: 1_000,
  workLeaseMsMax: 600_000,
  /** How often a worker should send a heartbeat, at most: it must hear of a cancellation within its grace. */
  workHeartbeatMs: 2_000,
  /** How often work is looked at that another process may have changed. */
  workLookMs: 500,
  /** Rows of work that nobody wrote for so long are looked at, and dropped once the log says that they are over. */
  workKeptMs: 3_600_000,
  /** How often they are looked at. */
  workSweepMs: 60_000,
  workersKeptMs: 7 * 86_400_000,
  workersShown: 1_000,
} as const
