/**
 * The settings of a server, each from one place: an option goes before the environment, the environment before the file, the file before
 * the default. Where a value comes from is kept, so that `--print-config` can tell.
 */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { faultOf, meantBy } from '../../../core/config/check-setting.ts'
import { readConfig, type ConfigValues } from '../../../core/config/read-config.ts'
import {
  SETTINGS,
  SETTING_NAMES,
  type Setting,
  type SettingName,
  type SettingValue,
} from '../../../core/config/settings.ts'
import { fail } from '../../../core/problems/problem.ts'
import { unwrap } from '../../../core/result.ts'
import type { Place } from '../files/place.ts'
import { readText } from '../files/text-file.ts'
import type { Options } from '../terminal/command.ts'

export interface Given {
  readonly value: unknown
  /** An option, a variable, a file, or `default`. */
  readonly from: string
}

export class Config {
  readonly #given: ReadonlyMap<SettingName, Given>

  constructor(given: ReadonlyMap<SettingName, Given>) {
    this.#given = given
  }

  get<N extends SettingName>(name: N): SettingValue<N> {
    return this.#given.get(name)?.value as SettingValue<N>
  }

  given(name: SettingName): Given {
    return this.#given.get(name) ?? { value: undefined, from: 'default' }
  }

  get place(): Place {
    return { dir: this.get('dir'), store: this.get('store'), keys: this.get('keysDir') }
  }
}

const FILES = ['keelson.config.yaml', 'keelson.config.yml', 'keelson.config.json']
/** Paths of a file are meant from where the file lies. */
const PATHS: readonly SettingName[] = [
  'dir',
  'keysDir',
  'temporal.tls.certificate',
  'temporal.tls.key',
  'temporal.tls.rootCertificate',
]

export function configOf(options: Options, folder = '.'): Config {
  const file = configFile(options, folder)
  const written = file === undefined ? new Map<SettingName, unknown>() : fileValues(file)
  return new Config(new Map(SETTING_NAMES.map((name) => [name, givenOf(name, options, written, file)])))
}

function configFile(options: Options, folder: string): string | undefined {
  const named = options.text('config')
  if (named !== undefined) return named
  const found = FILES.map((name) => join(folder, name)).filter((path) => existsSync(path))
  if (found.length > 1) fail('CONFIG_INVALID', `there are two configurations: ${found.join(' and ')}; keep one of them`)
  return found[0]
}

function fileValues(file: string): ConfigValues {
  return unwrap(readConfig(readText(file, 'CONFIG_INVALID'), file))
}

function givenOf(name: SettingName, options: Options, written: ConfigValues, file: string | undefined): Given {
  const setting: Setting = SETTINGS[name]
  const { option, variable } = setting
  const said = option === undefined ? undefined : optionValue(options, option, setting)
  if (option !== undefined && said !== undefined) return checked(setting, said, option)
  const text = process.env[variable]
  if (text !== undefined && text !== '') return checked(setting, meantBy(setting, text), variable)
  const value = written.get(name)
  if (value === undefined || file === undefined) return { value: setting.default, from: 'default' }
  return { value: PATHS.includes(name) ? resolve(dirname(file), String(value)) : value, from: file }
}

function optionValue(options: Options, option: string, setting: Setting): unknown {
  const name = option.slice(2).replaceAll(/-([a-z])/g, (_, first: string) => first.toUpperCase())
  if (setting.kind === 'flag') return options.flag(name) ? true : undefined
  const several = options.list(name)
  if (several.length > 0) return several
  const text = options.text(name)
  return text === undefined ? undefined : meantBy(setting, text)
}

function checked(setting: Setting, value: unknown, from: string): Given {
  const fault = faultOf(setting, value)
  return fault === undefined ? { value, from } : fail('CONFIG_INVALID', `${from} ${fault}`)
}
