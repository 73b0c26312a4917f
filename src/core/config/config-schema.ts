/** schemas/config.schema.json: keelson.config.yaml as JSON Schema 2020-12, for editors and for whoever makes such a file. */
import { SETTINGS, SETTING_NAMES, type Form, type Setting } from './settings.ts'

type Schema = Record<string, unknown>

export function configSchema(): Readonly<Record<string, unknown>> {
  const root = openObject()
  for (const name of SETTING_NAMES) {
    const parts = name.split('.')
    const last = parts.pop() ?? name
    let at = root
    for (const part of parts) at = (at[part] ??= closed(openObject()))['properties'] as Record<string, Schema>
    at[last] = { description: SETTINGS[name].about, ...shapeOf(SETTINGS[name]) }
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'keelson.config.yaml',
    description: 'Settings of `keelson serve`. Each is optional.',
    ...closed({ $schema: { type: 'string' }, ...root }),
  }
}

function openObject(): Record<string, Schema> {
  return {}
}

function closed(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, additionalProperties: false }
}

function shapeOf(setting: Setting): Schema {
  const usual = setting.default === undefined ? {} : { default: setting.default }
  switch (setting.kind) {
    case 'text':
      return { type: 'string', minLength: 1, ...words(setting), ...pattern(setting), ...usual }
    case 'whole':
      return { type: 'integer', minimum: setting.min, maximum: setting.max, ...usual }
    case 'flag':
      return { type: 'boolean', ...usual }
    case 'list':
      return {
        type: 'array',
        items: { type: 'string', minLength: 1, ...words(setting), ...pattern(setting) },
        ...usual,
      }
  }
}

function words({ values }: { readonly values?: readonly string[] }): Schema {
  return values === undefined ? {} : { enum: values }
}

function pattern({ form }: { readonly form?: Form }): Schema {
  return form === undefined ? {} : { pattern: form.pattern }
}
