/** docs/reference/limits.md: every limit of the product with its number, what it is of, and what happens beyond it. */
import { LIMITS } from '../src/core/limits.ts'
import { PLAN_LIMITS } from '../src/core/plan/plan-limits.ts'
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
    of: 'A value that stands in the log itself',
    beyond: 'larger ones are blobs of the run, named by hash and size; nothing is refused',
  },
  factsBytes: { of: 'The facts of one event (results of conditions)', beyond: '`DECISION_DATA_TOO_LARGE`' },
  errorTextBytes: { of: 'The text of an error, and its stack', beyond: 'cut at the end of a character' },
  signalBytes: { of: 'A signal with its payload', beyond: '`SIGNAL_INVALID_PAYLOAD`; nothing is recorded' },
  signalsPerMinute: { of: 'Signals to one run within a minute, on Temporal', beyond: '`SIGNAL_RATE_EXCEEDED`' },
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
  expandedTextBytes: {
    of: 'A text that an expression builds or a `${…}` template expands to',
    beyond: '`EXPR_LIMIT`; the attempt fails',
  },
  egressAnswerBytes: { of: 'The body of an answer to an `http` step', beyond: '`RESPONSE_TOO_LARGE`' },
  egressRedirects: { of: 'Redirects that a request follows', beyond: '`REDIRECT_REFUSED`' },
  egressConnectMs: { of: 'Time to find and reach a host', beyond: 'class `transport`, retried by the policy' },
  egressSilenceMs: { of: 'Time a host may be silent', beyond: 'class `transport`, retried by the policy' },
  commandOutputBytes: {
    of: 'What is kept of stdout (its first part) and of stderr (its last), each',
    beyond: '`stdoutTruncated`, `stderrTruncated` in the output',
  },
  commandErrorTailBytes: { of: 'The end of stderr in the error of a failed program', beyond: 'cut at its beginning' },
  cancelGraceMs: { of: 'Time a step has to stop by itself', beyond: 'it is ended (process) or left behind (inline)' },
  queueAllowanceMs: {
    of: 'Time an attempt may wait in an engine on top of its `timeoutMs`',
    beyond: '`TIMEOUT`',
  },
  writeLatencyBudgetMs: {
    of: 'Time one write of events may take',
    beyond: '`STORE_WRITE_TIMEOUT`; the log is read again before anything is decided',
  },
  stepsLoadMs: {
    of: 'Time a steps file has to load (it may await something)',
    beyond: '`STEPS_NOT_LOADED`; runs that need it wait, others go on',
  },
  concurrencyMin: { of: 'The least `policy.concurrency` (and the default is 10)', beyond: 'the plan is refused' },
  concurrencyMax: { of: 'The greatest `policy.concurrency`', beyond: 'the plan is refused' },
  appendEvents: { of: 'Events of one append', beyond: 'the rest follows in the next append; nothing is refused' },
  fetchPageEvents: { of: 'Events that are read at once', beyond: 'the next page is read' },
  snapshotEveryEvents: { of: 'Events between two snapshots of a run, at least', beyond: 'a snapshot is kept' },
  planBytes: { of: "A plan's text", beyond: '`PLAN_TOO_LARGE`' },
  planSteps: { of: 'Steps of a plan', beyond: 'the plan is refused' },
}

const PLANS: Readonly<Record<keyof typeof PLAN_LIMITS, Told>> = {
  textChars: {
    of: "A text of a plan where no smaller number is named: a plan's or step's `description`, instructions, arguments",
    beyond: 'the plan is refused',
  },
  idChars: { of: 'An id or a name', beyond: 'the plan is refused' },
  depth: { of: 'Levels of nesting of a plan document', beyond: '`PLAN_TOO_DEEP`' },
  aliases: { of: 'YAML aliases of a plan', beyond: '`PLAN_ALIAS_LIMIT`' },
  documentValues: { of: 'Values of a plan document that a program hands in', beyond: '`PLAN_TOO_LARGE`' },
  pathSegments: { of: 'Parts of a dotted path such as `order.total`', beyond: 'the plan is refused' },
  retryAttemptsMax: { of: 'The greatest `retry.maxAttempts`', beyond: 'the plan is refused' },
  durationMsMax: { of: 'A duration in a plan (a year)', beyond: 'the plan is refused' },
  problems: { of: 'Problems told of one plan', beyond: 'the rest is not told' },
}

/** 10,485,760 bytes is said as 10 MiB too: a person looks for either. */
function numberOf(name: string, value: number): string {
  const written = value.toLocaleString('en-US')
  if (name.endsWith('Bytes')) {
    const large = value >= 1024 * 1024
    return `${written} bytes (${value / (large ? 1024 * 1024 : 1024)} ${large ? 'MiB' : 'KiB'})`
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
  const table = ['| of what | at most | beyond it |', '|---|---|---|']
  const text = [
    '# Limits',
    '',
    '<!-- Generated from src/core/limits.ts and src/core/plan/plan-limits.ts by `npm run docs`. -->',
    '',
    'Whatever is refused for its size is told with the number it had, where it is known, and the number that is allowed. Sizes are',
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
    'refused with its place, and never changed, when it holds a whole number beyond ±9007199254740991 (2^53 − 1), a number too large',
    'or too small for a double (`1e400`, `1e-400`), half of a Unicode character, bytes that are not UTF-8, or a key twice in one',
    'object. `bigints: text` of an `http` or `command` step turns such whole numbers into text with the same digits. A number with an',
    'exponent is kept where it comes back as it was written (`1e20`); a fraction becomes the nearest double, which keeps 15 digits.',
    'A number that a program hands in as a JavaScript number is what it is: what it was before nobody can know. A BigInt, NaN or',
    'Infinity is refused with its place.',
    '',
  ]
  return { path: 'docs/reference/limits.md', text: text.join('\n') }
}
