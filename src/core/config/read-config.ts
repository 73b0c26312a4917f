/** The text of a configuration file as settings. Every mistake is told at its line and column, an unknown name with what was meant. */
import { didYouMean } from '../did-you-mean.ts'
import { LIMITS } from '../limits.ts'
import { readDocument, type ReadDocument } from '../plan/read/read-document.ts'
import { pointerSegment } from '../plan/read/source.ts'
import { problem, type Problem } from '../problems/problem.ts'
import { okUnless, type Result } from '../result.ts'
import { faultOf } from './check-setting.ts'
import { SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts'

export type ConfigValues = ReadonlyMap<SettingName, unknown>

interface Reading {
  readonly document: ReadDocument
  readonly values: Map<SettingName, unknown>
  readonly problems: Problem[]
}

export function readConfig(text: string, file: string): Result<ConfigValues> {
  const values = new Map<SettingName, unknown>()
  if (isBlank(text)) return okUnless([], values)
  const document = readDocument(text, { file, maxBytes: LIMITS.configBytes })
  const problems = document.problems.map((one) => ({
    ...one,
    code: 'CONFIG_INVALID' as const,
    message: ours(one.message),
  }))
  const reading: Reading = { document, values, problems }
  if (document.root !== undefined) readPart(reading, document.root.value, [])
  return okUnless(problems, values)
}

/** Comments alone are an empty configuration. */
function isBlank(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(#.*)?$/.test(line))
}

/** The reader is that of plans. */
function ours(message: string): string {
  return message.replaceAll('the plan', 'the configuration').replaceAll('one plan', 'one configuration')
}

function readPart(reading: Reading, value: unknown, path: readonly string[]): void {
  const known = namesUnder(path)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const what = path.length === 0 ? 'the configuration' : `'${path.join('.')}'`
    return refuse(reading, path, `${what} has fields: ${[...known].join(', ')}`, 'value')
  }
  for (const [name, part] of Object.entries(value)) {
    const here = [...path, name]
    if (path.length === 0 && name === '$schema') continue
    if (known.has(name)) readSetting(reading, part, here)
    else refuse(reading, here, `there is no setting '${here.join('.')}'`, 'key', didYouMean(name, [...known]))
  }
}

function readSetting(reading: Reading, value: unknown, path: readonly string[]): void {
  const name = SETTING_NAMES.find((one) => one === path.join('.'))
  if (name === undefined) return readPart(reading, value, path)
  const fault = faultOf(SETTINGS[name], value)
  if (fault === undefined) reading.values.set(name, value)
  else refuse(reading, path, `'${name}' ${fault}`, 'value')
}

function namesUnder(path: readonly string[]): ReadonlySet<string> {
  const before = path.length === 0 ? '' : `${path.join('.')}.`
  const below = SETTING_NAMES.filter((name) => name.startsWith(before)).map((name) => name.slice(before.length))
  return new Set(below.map((name) => name.split('.', 1)[0] ?? name))
}

function refuse(
  { document, problems }: Reading,
  path: readonly string[],
  message: string,
  part: 'key' | 'value',
  hint: { readonly hint?: string } = {},
): void {
  const pointer = path.map(pointerSegment).join('')
  const at = document.positionOf(pointer, part)
  problems.push(problem('CONFIG_INVALID', message, { pointer, ...hint, ...(at === undefined ? {} : { at }) }))
}
