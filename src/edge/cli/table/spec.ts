/** One command of the table: what it is called, what it takes, examples that work, and where its code lies. */
import type { Act, CommandSketch, OptionSpec } from '../command.ts'

export interface Spec extends CommandSketch {
  /** Whole command lines; a test puts each through the parser. */
  readonly examples: readonly string[]
  /** Loaded only when called, so that help or a list of runs does not pay for everything else. */
  readonly load: () => Promise<Act>
}

export interface Section {
  readonly title: string
  readonly commands: readonly Spec[]
}

export const STEPS: OptionSpec = [
  '--steps <file>',
  'step functions; default keelson.steps.ts, .mts, .js or .mjs beside the plan or here',
]
export const ALLOW_HOST: OptionSpec = [
  '--allow-host <host...>',
  'http steps may go there too: a host, address or range that is not public',
]
export const TEMPORAL_OPTIONS: readonly OptionSpec[] = [
  ['--address <host:port>', 'the Temporal server; default $TEMPORAL_ADDRESS or 127.0.0.1:7233'],
  ['--namespace <name>', 'default $TEMPORAL_NAMESPACE or default'],
  ['--task-queue <name>', 'first part of its queues; default $TEMPORAL_TASK_QUEUE or dvt-temporal'],
]
export const CLIENT_ONLY: OptionSpec = ['--client-only', 'on temporal: start and watch; workers elsewhere carry it out']
export const REPEAT_IRREVERSIBLE: OptionSpec = [
  '--repeat-irreversible',
  'the new run may repeat irreversible steps that were done',
]
export const AS: OptionSpec = ['--as <user>', 'who decides; recorded in the log. Default local']
export const REASON: OptionSpec = ['--reason <text>', 'why; recorded in the log']

/** What every command takes. */
export const EVERYWHERE: readonly OptionSpec[] = [
  ['--dir <folder>', 'where runs are kept; default .keelson'],
  ['--store <url>', 'a PostgreSQL database that keeps them instead (postgres://…); default $KEELSON_STORE'],
  ['--keys-dir <folder>', 'signing keys of tasks and receipts; default $KEELSON_KEYS_DIR, or keys in the state folder'],
  ['--json', 'one JSON object per line instead of text'],
  ['--debug', 'stack traces with errors'],
]

/** The words that name a command: `plan check` of `plan check <file>`. */
export function wordsOf({ use }: CommandSketch): readonly string[] {
  return use.split(' ').filter((word) => !/^[<[]/.test(word))
}
