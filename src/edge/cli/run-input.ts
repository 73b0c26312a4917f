/**
 * A run's input from the command line: a JSON file or standard input, with single fields set over it. What cannot be kept as
 * it is written is refused with its place.
 */
import { placeOfFault, readJsonText } from '../../core/json/read-json-text.ts'
import { fail } from '../../core/problems/problem.ts'
import { readStandardInput, readText } from './text-file.ts'

type Fields = Readonly<Record<string, unknown>>

const AS_TEXT = 'put the number in quotes: it is then text with the same digits'

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
  const text = file === '-' ? readStandardInput('RUN_INPUT_INVALID') : readText(file, 'RUN_INPUT_INVALID')
  const reading = readJsonText(text)
  if (reading.ok) return reading.value
  const { fault } = reading
  const { line, column, pointer } = fault
  const at = { file: name, line, column }
  if (fault.kind === 'syntax') return fail('USAGE', `${name} is not JSON: ${fault.message}`, { at })
  return fail('RUN_INPUT_INVALID', pointer === '' ? fault.message : `${fault.message}, at ${pointer}`, {
    at,
    pointer,
    hint: AS_TEXT,
  })
}

/** `key=value`: the value is JSON where it can be read as such, else text. */
export function fieldsOf(settings: readonly string[]): Fields {
  return Object.fromEntries(
    settings.map((setting) => {
      const at = setting.indexOf('=')
      if (at < 1) return fail('USAGE', `--set takes key=value, not '${setting}'`)
      const key = setting.slice(0, at)
      return [key, valueOf(setting.slice(at + 1), `--set ${key}`)] as const
    }),
  )
}

/** `where` is the option that brought the value. */
export function valueOf(text: string, where: string): unknown {
  // An argument whose bytes are not UTF-8 comes with this character in their place; what they were nobody knows any more.
  if (text.includes('\uFFFD'))
    fail('RUN_INPUT_INVALID', `${where} holds bytes that are not UTF-8 (character ${text.indexOf('\uFFFD') + 1})`)
  const reading = readJsonText(text)
  if (reading.ok) return reading.value
  if (reading.fault.kind === 'syntax') return text
  const { fault } = reading
  return fail('RUN_INPUT_INVALID', `${where}: ${fault.message} (${placeOfFault(fault)})`, { hint: AS_TEXT })
}
