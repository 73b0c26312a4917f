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

export function optionsOf(values: Readonly<Record<string, unknown>>): Options {
  const text = (name: string): string | undefined => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    dir: text('dir') ?? '.keelson',
    store: text('store') ?? fromEnvironment('KEELSON_STORE'),
    keys: text('keysDir') ?? fromEnvironment('KEELSON_KEYS_DIR'),
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
