/**
 * A run's input from the command line: JSON as it stands, a JSON file or standard input, with single fields set over it. A
 * value that cannot be kept exactly is refused with its place.
 */
import { existsSync } from 'node:fs'
import { cutText } from '../../../core/cut-text.ts'
import { placeOfFault, readJsonText } from '../../../core/json/read-json-text.ts'
import { fail } from '../../../core/problems/problem.ts'
import { readStandardInput, readText } from './text-file.ts'

type Fields = Readonly<Record<string, unknown>>

const SHOWN_CHARS = 60
const AS_TEXT = 'put the number in quotes: it is then text with the same digits'

/** JSON that stands on the command line itself begins so; a file of such a name is given as `./…` or `@…`. */
const INLINE = /^\s*[{["]/

export function readInput(given: string | undefined, settings: readonly string[]): unknown {
  const base = given === undefined ? undefined : readJsonOption('--input', given)
  if (settings.length === 0) return base
  if (base !== undefined && (typeof base !== 'object' || base === null || Array.isArray(base))) {
    fail('USAGE', '--set changes fields of an object, and the input is not one')
  }
  return { ...(base as Fields | undefined), ...fieldsOf(settings) }
}

/** JSON as it stands, a file or standard input. */
export function readJsonOption(option: '--input' | '--data', given: string): unknown {
  if (INLINE.test(given)) return parseInline(option, given)
  const file = given.startsWith('@') ? given.slice(1) : given
  if (file === '') fail('USAGE', `${option} takes JSON, a file ('order.json' or '@order.json') or - for standard input`)
  const name = file === '-' ? 'standard input' : file
  const text = file === '-' ? readStandardInput('RUN_INPUT_INVALID') : readInputFile(option, file)
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

function readInputFile(option: string, file: string): string {
  if (existsSync(file)) return readText(file, 'RUN_INPUT_INVALID')
  const isValue = readJsonText(file).ok || file.includes('=')
  const hint = isValue
    ? `${option === '--input' ? 'for a single field: --set name=value; for a whole input: ' : ''}${option} '{"name": "value"}'`
    : 'JSON that stands here begins with {, [ or "'
  return fail('FILE_NOT_FOUND', `${option}: there is no file ${file}`, { hint })
}

function parseInline(option: string, text: string): unknown {
  notUtf8(text, option)
  const reading = readJsonText(text)
  if (reading.ok) return reading.value
  const { fault } = reading
  const told = `${option}: ${fault.message} (${placeOfFault(fault)})`
  if (fault.kind === 'loss') return fail('RUN_INPUT_INVALID', told, { hint: AS_TEXT })
  return fail('USAGE', `${told}, in ${cutText(text, SHOWN_CHARS)}`, {
    hint: `JSON has its names in double quotes, and the shell needs single quotes around it: ${option} '{"name": "value"}'`,
  })
}

/** `key=value`: the value is JSON if it can be parsed as JSON, else text. */
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

/** `where` is the option that gave the value. */
export function valueOf(text: string, where: string): unknown {
  notUtf8(text, where)
  const reading = readJsonText(text)
  if (reading.ok) return reading.value
  if (reading.fault.kind === 'syntax') return text
  const { fault } = reading
  return fail('RUN_INPUT_INVALID', `${where}: ${fault.message} (${placeOfFault(fault)})`, { hint: AS_TEXT })
}

/** Bytes of an argument that are not UTF-8 arrive as this character; the original bytes are lost. */
function notUtf8(text: string, where: string): void {
  if (text.includes('\uFFFD'))
    fail('RUN_INPUT_INVALID', `${where} holds bytes that are not UTF-8 (character ${text.indexOf('\uFFFD') + 1})`)
}
