/** A run's input from the command line: a JSON file or standard input, with single fields set over it. */
import { readFileSync } from 'node:fs'
import { fail } from '../../core/problems/problem.ts'
import { readText } from './plan-file.ts'

type Fields = Readonly<Record<string, unknown>>

export function readInput(file: string | undefined, settings: readonly string[]): unknown {
  const base = file === undefined ? undefined : parse(file)
  if (settings.length === 0) return base
  if (base !== undefined && (typeof base !== 'object' || base === null || Array.isArray(base))) {
    fail('USAGE', '--set changes fields of an object, and the input is not one')
  }
  return { ...(base as Fields | undefined), ...fieldsOf(settings) }
}

function parse(file: string): unknown {
  const name = file === '-' ? 'standard input' : file
  const text = file === '-' ? readFileSync(0, 'utf8') : readText(file)
  try {
    return JSON.parse(text) as unknown
  } catch (thrown) {
    return fail('USAGE', `${name} is not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}

/** `key=value`: the value is JSON where it can be read as such, else text. */
export function fieldsOf(settings: readonly string[]): Fields {
  return Object.fromEntries(
    settings.map((setting) => {
      const at = setting.indexOf('=')
      if (at < 1) return fail('USAGE', `--set takes key=value, not '${setting}'`)
      return [setting.slice(0, at), valueOf(setting.slice(at + 1))] as const
    }),
  )
}

export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
