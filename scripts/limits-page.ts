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
    of: 'An id or name from outside: run, request, correlation, actor, role, tenant, project, signal, subscriber, artifact, evidence',
    beyond: '`VALUE_TOO_LARGE` (`TASK_COMPLETION_INVALID` in a completion); nothing is written',
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
  notesChars: {
    of: 'Characters of the notes of a completion',
    beyond: '`TASK_COMPLETION_INVALID`; nothing is written',
  },
  notesBytes: { of: 'The notes of a completion', beyond: '`TASK_COMPLETION_INVALID`; nothing is written' },
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
  signalsPerMinute: { of: 'Signals to one run within a minute, on Temporal', beyond: '`SIGNAL_RATE_EXCEEDED`' },
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
  concurrencyMin: { of: 'The smallest `policy.concurrency` (the default is 10)', beyond: 'the plan is refused' },
  concurrencyMax: { of: 'The largest `policy.concurrency`', beyond: 'the plan is refused' },
  appendEvents: { of: 'Events of one append', beyond: 'the rest follows in the next append; nothing is refused' },
  fetchPageEvents: { of: 'Events that are read at once', beyond: 'the next page is read' },
  checkpointEveryEvents: { of: 'Events between two snapshots of a run, at least', beyond: 'a snapshot is kept' },
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
