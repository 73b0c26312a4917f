/** The options of `openKeelson` by name and kind, and of the objects among them; what is none of them is refused. */
import { SimulatedTime } from '../adapters/engines/mock/simulated-time.ts'
import { ALERT_PRIORITY_NAMES } from '../core/alerts/catalogue.ts'
import { needKnown, type OptionNames } from '../core/known-options.ts'
import {
  COUNT,
  either,
  FLAG,
  FUNCTION,
  having,
  LIST,
  MILLISECONDS,
  OBJECT,
  oneOf,
  TEXT,
  TEXTS,
  type Kind,
} from '../core/option-kinds.ts'
import { readOptions, type WithTexts } from '../core/option-durations.ts'
import type { OpenOptions } from './open-options.ts'

type Inner<K extends keyof OpenOptions> = Extract<NonNullable<OpenOptions[K]>, object>

/** What a program may write: times in milliseconds, or as text. */
export type Opening = WithTexts<Omit<OpenOptions, 'egress' | 'stateStore'>> & {
  readonly egress?: WithTexts<Inner<'egress'>>
  readonly stateStore?: WithTexts<Inner<'stateStore'>>
}

const FACTORY = having(['open'], { what: 'an engine such as `temporal(…)` of keelson/temporal gives' })
const ENGINE = either(
  oneOf('embedded', 'mock'),
  { what: 'a SimulatedTime', is: (value) => value instanceof SimulatedTime },
  FACTORY,
)
const STORE = having(['findRun', 'listRuns', 'putPool', 'close'], {
  what: 'a store such as `openPostgresStore(…)` of keelson/stores/postgres gives',
  hint: "without this option runs are stored in `directory`; `directory: ':memory:'` keeps them in memory",
})
const HANDLERS = having(['missing', 'call'], {
  what: 'an object with `missing` and `call`',
  hint: 'step functions are the option `steps`',
})
const SECRETS = having(['resolve'], {
  what: 'an object with `resolve`',
  hint: 'to name environment variables: `environmentSecrets`',
})
const STEPS: Kind = {
  ...OBJECT,
  what: 'an object of functions, or a module of them',
  hint: 'for a path: `stepsModule` beside `steps`',
}

const OPEN: OptionNames<OpenOptions> = {
  engine: ENGINE,
  engines: LIST,
  handlers: HANDLERS,
  around: FUNCTION,
  steps: STEPS,
  stepsModule: TEXT,
  egress: OBJECT,
  commands: either(FLAG, OBJECT),
  tenantId: TEXT,
  directory: TEXT,
  readOnly: either(FLAG, oneOf('if-needed')),
  store: STORE,
  keysDirectory: TEXT,
  replaceVersion: FLAG,
  planFiles: TEXT,
  drives: FLAG,
  follows: either(FLAG, oneOf('all')),
  adopt: FLAG,
  leaseMs: MILLISECONDS,
  pollMs: MILLISECONDS,
  maxSteps: COUNT,
  smallHeap: FLAG,
  heapGrowsWhenBusy: FLAG,
  secrets: SECRETS,
  onProgress: FUNCTION,
  onWritten: FUNCTION,
  stateStore: OBJECT,
  telemetry: FLAG,
  receipts: either(FLAG, OBJECT),
  onStoreTrouble: FUNCTION,
  onClockJump: FUNCTION,
  onLoopBlocked: FUNCTION,
  onAlert: FUNCTION,
  alertWebhook: OBJECT,
  log: FUNCTION,
  environmentSecrets: either(FLAG, TEXTS),
  agents: OBJECT,
  resources: OBJECT,
}
const EGRESS: OptionNames<Inner<'egress'>> = { allow: TEXTS, only: FLAG, silenceMs: MILLISECONDS }
const COMMANDS: OptionNames<Inner<'commands'>> = { cwd: TEXT }
const STATE_STORE: OptionNames<Inner<'stateStore'>> = {
  writeLatencyBudgetMs: MILLISECONDS,
  failOpenForEventClass: TEXTS,
  neverFailOpen: TEXTS,
}
const WEBHOOK: OptionNames<Inner<'alertWebhook'>> = {
  url: TEXT,
  secret: TEXT,
  priority: oneOf(...ALERT_PRIORITY_NAMES),
  allow: TEXTS,
}
const RECEIPTS: OptionNames<Inner<'receipts'>> = { onProblem: FUNCTION }

/** With all times in milliseconds. */
export function readOpening(given: Opening): OpenOptions {
  const options = readOptions<OpenOptions>('openKeelson', given as WithTexts<OpenOptions>, OPEN)
  const { egress, commands, stateStore, receipts, alertWebhook } = options
  if (alertWebhook !== undefined) needKnown('alertWebhook', alertWebhook, WEBHOOK)
  if (typeof commands === 'object') needKnown('commands', commands, COMMANDS)
  if (typeof receipts === 'object') needKnown('receipts', receipts, RECEIPTS)
  return {
    ...options,
    ...(egress === undefined ? {} : { egress: readOptions<Inner<'egress'>>('egress', egress, EGRESS) }),
    ...(stateStore === undefined
      ? {}
      : { stateStore: readOptions<Inner<'stateStore'>>('stateStore', stateStore, STATE_STORE) }),
  }
}
