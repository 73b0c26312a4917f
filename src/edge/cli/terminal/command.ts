/**
 * What every command receives: its arguments and options as text, and where to write; and what is known of each command
 * before.
 */
import { fail } from '../../../core/problems/problem.ts'
import type { Terminal } from './terminal.ts'

export type OptionSpec = readonly [flags: string, about: string]

/** What is known of a command before its code is loaded. */
export interface CommandSketch {
  /** Words, `<needed>` and `[optional]` arguments. */
  readonly use: string
  readonly about: string
  readonly options?: readonly OptionSpec[]
}

export interface Call {
  readonly args: readonly string[]
  readonly options: Options
  readonly terminal: Terminal
  /** All commands that exist. */
  readonly table: readonly CommandSketch[]
}

/** Resolves with the exit code. */
export type Act = (call: Call) => Promise<number>

export interface Options {
  /** State folder. */
  readonly dir: string
  /** The address of a PostgreSQL database that keeps the runs instead of the state folder. */
  readonly store: string | undefined
  /** The folder of the signing keys, if it is not in the state folder. */
  readonly keys: string | undefined
  /** The address of a Keelson server that is asked instead. */
  readonly server: string | undefined
  /** The file with the API key for it. */
  readonly apiKeyFile: string | undefined
  readonly json: boolean
  readonly debug: boolean
  text(name: string): string | undefined
  flag(name: string): boolean
  /** Given as `--no-…`. */
  isOff(name: string): boolean
  list(name: string): readonly string[]
  whole(name: string): number | undefined
}

function fromEnvironment(name: string): string | undefined {
  const value = process.env[name]
  return value === '' ? undefined : value
}

/** A place that the command line names goes before a server of the environment. */
function serverOf(text: (name: string) => string | undefined): string | undefined {
  const place = (['store', 'dir'] as const).find((name) => text(name) !== undefined)
  const given = text('server')
  if (given !== undefined && place !== undefined)
    fail('USAGE', `--server and --${place} name two places of runs: use only one of them`)
  return given ?? (place === undefined ? fromEnvironment('KEELSON_SERVER') : undefined)
}

export function optionsOf(values: Readonly<Record<string, unknown>>): Options {
  const text = (name: string): string | undefined => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    dir: text('dir') ?? '.keelson',
    store: text('store') ?? fromEnvironment('KEELSON_STORE'),
    keys: text('keysDir') ?? fromEnvironment('KEELSON_KEYS_DIR'),
    server: serverOf(text),
    apiKeyFile: text('apiKeyFile') ?? fromEnvironment('KEELSON_API_KEY_FILE'),
    json: values['json'] === true,
    debug: values['debug'] === true,
    text,
    flag: (name) => values[name] === true,
    isOff: (name) => values[name] === false,
    list: (name) => (Array.isArray(values[name]) ? (values[name] as readonly string[]) : []),
    whole: (name) => {
      const value = text(name)
      if (value !== undefined && !/^\d{1,15}$/.test(value))
        fail('USAGE', `--${name} takes a whole number, not '${value}'`)
      return value === undefined ? undefined : Number(value)
    },
  }
}
