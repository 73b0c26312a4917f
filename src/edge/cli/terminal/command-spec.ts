/** One command of the table: its name, its arguments, examples that work, and where its code is. */
import type { Act, CommandSketch, OptionSpec } from './command.ts'

export interface Spec extends CommandSketch {
  /** Whole command lines; a test parses each of them. */
  readonly examples: readonly string[]
  /** Loaded only when called, so that help or a list of runs does not load everything else. */
  readonly load: () => Promise<Act>
  /** Other words for it that people type. */
  readonly aliases?: readonly string[]
}

export interface Section {
  readonly title: string
  readonly commands: readonly Spec[]
}

export const STEPS: OptionSpec = [
  '--steps <file>',
  'file with step functions; default: keelson.steps.ts, .mts, .js or .mjs beside the plan or in this folder',
]
const ALLOW_HOST: OptionSpec = [
  '--allow-host <host...>',
  'also allow http steps to go to this host, address or range, even if it is not public',
]
const ALLOW_SECRET: OptionSpec = [
  '--allow-secret <name...>',
  'read secrets also from this variable, not only from KEELSON_SECRET_<name>; * for all',
]
const NO_COMMANDS: OptionSpec = ['--no-commands', 'plans cannot start programs; same as KEELSON_COMMANDS=off']
/** What may be done outside, for every command that drives runs. */
export const OUTSIDE: readonly OptionSpec[] = [ALLOW_HOST, ALLOW_SECRET, NO_COMMANDS]
export const LOCKING: readonly OptionSpec[] = [
  ['--locked', 'the run may use only what --allow-… names; the log keeps the lock'],
  ['--allow-program <name...>', 'with --locked: allow this program'],
  ['--allow-env <name...>', 'with --locked: allow to set this variable for programs'],
  ['--allow-plan <id...>', 'with --locked: allow this plan, or this version of it (id@version)'],
  ['--allow-code', 'with --locked: allow step functions'],
  ['--allow-irreversible', 'with --locked: allow irreversible steps'],
  ['--review', 'show what the plan can use, and ask before the start'],
  ['--trust', 'do not ask before a plan from elsewhere starts'],
]
export const TEMPORAL_OPTIONS: readonly OptionSpec[] = [
  ['--address <host:port>', 'the Temporal server; default $TEMPORAL_ADDRESS or 127.0.0.1:7233'],
  ['--namespace <name>', 'default $TEMPORAL_NAMESPACE or default'],
  ['--task-queue <name>', 'first part of the queue names; default $TEMPORAL_TASK_QUEUE or dvt-temporal'],
]
export const CLIENT_ONLY: OptionSpec = [
  '--client-only',
  'on temporal: only start and watch; other workers execute the run',
]
export const REPEAT_IRREVERSIBLE: OptionSpec = [
  '--repeat-irreversible',
  'allow the new run to repeat irreversible steps',
]
export const REPLACE_VERSION: OptionSpec = [
  '--replace-version',
  'for development: replace the plan that is stored under the same id and version',
]
export const AS: OptionSpec = ['--as <user>', 'who decides; recorded in the log; default local']
export const REASON: OptionSpec = ['--reason <text>', 'the reason; recorded in the log']

/** What every command takes. */
export const EVERYWHERE: readonly OptionSpec[] = [
  ['--dir <folder>', 'the state folder; default .keelson'],
  ['--store <url>', 'a PostgreSQL database for the runs (postgres://…); default $KEELSON_STORE'],
  ['--keys-dir <folder>', 'signing keys of tasks and receipts; default $KEELSON_KEYS_DIR, or keys in the state folder'],
  [
    '--server <url>',
    'a Keelson server to ask instead (keelson serve); default $KEELSON_SERVER, its key $KEELSON_API_KEY or keelson login',
  ],
  ['--api-key-file <file>', 'a file with the API key for the server; default $KEELSON_API_KEY_FILE'],
  ['--json', 'one JSON object per line instead of text'],
  ['--debug', 'show stack traces with errors'],
]

/** The words that name a command: `plan check` of `plan check <file>`. */
export function wordsOf({ use }: CommandSketch): readonly string[] {
  return use.split(' ').filter((word) => !/^[<[]/.test(word))
}
