/**
 * Every limit of the product that is a plain number, in one place. `npm run docs` writes docs/reference/limits.md from this
 * table; a limit that the page has no words for does not compile.
 */
export const LIMITS = {
  inlinePayloadBytes: 64 * 1024,
  runInputBytes: 10 * 1024 * 1024,
  /** Of every value that passes between steps: an output, the result of an expression, captured values, the run's output. */
  valueBytes: 10 * 1024 * 1024,
  planBytes: 8 * 1024 * 1024,
  errorTextBytes: 8 * 1024,
  factsBytes: 16 * 1024,
  expressionChars: 4_096,
  expressionDepth: 10,
  expressionLiteralChars: 1_024,
  /** Nodes visited plus elements touched: enough to filter 100,000 items by a condition of several parts. */
  expressionWork: 2_000_000,
  /** Of a text that an expression builds or a template expands to. */
  expandedTextBytes: 64 * 1024,
  appendEvents: 500,
  fanOutItems: 100_000,
  signalBytes: 64 * 1024,
  signalsPerMinute: 60,
  planSteps: 100_000,
  cancelGraceMs: 5_000,
  /** How long one write of events may take (LAT-01). */
  writeLatencyBudgetMs: 3_000,
  queueAllowanceMs: 30 * 60 * 1000,
  fetchPageEvents: 1_000,
  snapshotEveryEvents: 1_000,
  concurrencyMin: 1,
  concurrencyMax: 10_000,
  egressAnswerBytes: 10 * 1024 * 1024,
  egressRedirects: 5,
  egressConnectMs: 10_000,
  egressSilenceMs: 30_000,
  commandOutputBytes: 64 * 1024,
  commandErrorTailBytes: 2 * 1024,
  /** How long a steps file may take to load: its top-level awaits included. */
  stepsLoadMs: 30_000,
} as const
