/** `keelson serve --print-config`: every setting with its value and where the value comes from. What is secret is shown as a reference. */
import { SETTINGS, SETTING_NAMES, type Setting, type SettingName } from '../../../core/config/settings.ts'
import { placeName } from '../files/place.ts'
import type { Options } from '../terminal/command.ts'
import { printTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Config } from './config.ts'

export function printConfig(config: Config, options: Options, terminal: Terminal): void {
  if (options.json)
    for (const name of SETTING_NAMES) {
      const { variable, about } = SETTINGS[name]
      terminal.json({
        setting: name,
        value: shown(config, name) ?? null,
        from: config.given(name).from,
        variable,
        about,
      })
    }
  else
    printTable(
      terminal,
      ['SETTING', 'VALUE', 'FROM', 'VARIABLE'],
      SETTING_NAMES.map((name) => cells(config, name)),
    )
}

function cells(config: Config, name: SettingName): readonly string[] {
  const value = shown(config, name)
  const text = Array.isArray(value) ? value.join(', ') : value === undefined ? '' : String(value)
  return [name, text === '' ? '-' : text, config.given(name).from, SETTINGS[name].variable]
}

function shown(config: Config, name: SettingName): unknown {
  const setting: Setting = SETTINGS[name]
  const value: unknown = config.get(name)
  if (setting.isSecret !== true || value === undefined) return value
  // Of the address of a database, what has no password.
  return name === 'store' ? placeName(config.place) : `set by ${config.given(name).from}`
}
