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
  /** For every id and name from outside: runs, requests, correlations, actors, tenants, projects, evidence. */
  nameBytes: 255,
  /** For the text by which an event names an engine's own run: ids in it are percent-encoded. */
  engineRunRefChars: 2_000,
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
  evidenceRefs: 100,
  /** As JSON, all evidence of one completion. */
  evidenceBytes: 32 * 1024,
  /** As JSON, everything that the end of one attempt names: pointers to artifacts, captured paths, evidence. */
  namedByStepBytes: 40 * 1024,
  /** All variables of a run together, as JSON. */
  contextBytes: 16 * 1024 * 1024,
  /** After this many refused completions of one task, further ones are not accepted. */
  inboxRowsPerTask: 100,
  signalsPerMinute: 60,
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
  /** With `smallHeap`: what the young generation of V8 grows to, both halves together. */
  youngHeapBytes: 32 * 1024 * 1024,
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
} as const
