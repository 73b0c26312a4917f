/** The published schemas of every event and the event catalogue, from the one source of their types. */
import { EVENTS, EVENT_TYPES, type EventType } from '../src/core/events/event.ts'
import { dataSchema, payloadSchema, recordSchema, writeSchema, type JsonSchema } from '../src/core/events/schemas.ts'
import { ATTEMPT_TRANSITIONS, COMPENSATION_TRANSITIONS, RUN_TRANSITIONS } from '../src/core/run/state/transitions.ts'
import type { GeneratedFile } from './generated-file.ts'

export const EVENT_SCHEMAS = 'schemas/events'

export function eventFiles(): readonly GeneratedFile[] {
  const schemas = EVENT_TYPES.flatMap((type) => [
    { path: `${EVENT_SCHEMAS}/${type}.write.json`, text: jsonText(writeSchema(type)) },
    { path: `${EVENT_SCHEMAS}/${type}.record.json`, text: jsonText(recordSchema(type)) },
  ])
  return [...schemas, { path: 'docs/reference/events.md', text: catalogue() }]
}

function jsonText(schema: JsonSchema): string {
  return `${JSON.stringify(schema, undefined, 2)}\n`
}

function catalogue(): string {
  const canonical = EVENT_TYPES.filter((type) => EVENTS[type].canonical)
  const extensions = EVENT_TYPES.filter((type) => !EVENTS[type].canonical)
  return [
    '# Events',
    '',
    '<!-- Generated from src/core/events by `npm run docs`. -->',
    '',
    `The log knows ${EVENT_TYPES.length} events. Each has two JSON Schemas under \`${EVENT_SCHEMAS}\`: \`write\` is what a producer must`,
    'write (closed and strict), `record` is what a reader may rely on (open: later versions may add fields).',
    '`payload` has the structure and is never erased. `data` may be personal and can be erased.',
    '[log.md](log.md) describes the keys, hashes and the chain.',
    '',
    '| event | level | emitted by | change of the status |',
    '|---|---|---|---|',
    ...EVENT_TYPES.map((type) => {
      const { level, emittedBy } = EVENTS[type]
      return `| [${type}](#${type.toLowerCase()}) | ${level} | ${emittedBy} | ${effectOf(type)} |`
    }),
    '',
    '`step` events name their step, `run` events never do, `about` events may.',
    '',
    '## Events of the source contracts',
    '',
    ...canonical.flatMap(section),
    '## Extensions',
    '',
    ...extensions.flatMap(section),
  ]
    .join('\n')
    .replace(/\n+$/, '\n')
}

function effectOf(type: EventType): string {
  const tables = [
    ['run', RUN_TRANSITIONS],
    ['attempt', ATTEMPT_TRANSITIONS],
    ['compensation', COMPENSATION_TRANSITIONS],
  ] as const
  const moves = tables.flatMap(([what, table]) => {
    const rows = Object.entries<Readonly<Record<string, string>>>(table)
    const from = rows
      .filter(([status, row]) => row[type] !== undefined && row[type] !== status)
      .map(([status]) => status)
    const to = rows.map(([, row]) => row[type]).find((status) => status !== undefined)
    return from.length === 0 ? [] : [`${what} ${from.join(', ')} → ${to}`]
  })
  return moves.length === 0 ? 'nothing' : moves.join('; ')
}

function section(type: EventType): readonly string[] {
  const data = dataSchema(type)
  return [
    `### ${type}`,
    '',
    `Schemas: [write](../../${EVENT_SCHEMAS}/${type}.write.json), [record](../../${EVENT_SCHEMAS}/${type}.record.json).`,
    '',
    ...fieldTable('payload', payloadSchema(type)),
    ...(data === undefined ? ['It carries no `data`.', ''] : fieldTable('data', data)),
  ]
}

function fieldTable(title: string, schema: JsonSchema): readonly string[] {
  const fields = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {})
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  return [
    `| ${title} | kind | |`,
    '|---|---|---|',
    ...fields.map(([name, field]) => {
      const need = required.includes(name) ? 'required' : ''
      return `| \`${name}\` | ${isSchema(field) ? kindOf(field) : 'any JSON value'} | ${need} |`
    }),
    '',
  ]
}

function kindOf(schema: JsonSchema): string {
  if ('const' in schema) return `\`${String(schema['const'])}\``
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => `\`${String(value)}\``).join(' or ')
  if (schema['format'] === 'date-time') return 'time (UTC)'
  if (schema['type'] === 'array')
    return `list of ${isSchema(schema['items']) ? kindOf(schema['items']) : 'JSON values'}`
  if (schema['type'] === 'object' && isSchema(schema['properties'])) {
    const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
    const names = Object.keys(schema['properties']).map((name) => `${name}${required.includes(name) ? '' : '?'}`)
    return `{ ${names.join(', ')} }`
  }
  if (schema['type'] === 'object') return 'object'
  if (schema['type'] === 'integer')
    return typeof schema['minimum'] === 'number' ? `integer ≥ ${schema['minimum']}` : 'integer'
  if (schema['type'] === 'string') return kindOfText(schema)
  return typeof schema['type'] === 'string' ? schema['type'] : 'any JSON value'
}

function kindOfText(schema: JsonSchema): string {
  if (schema['pattern'] === '^[a-f0-9]{64}$') return 'SHA-256, 64 hex digits'
  if (typeof schema['pattern'] === 'string') return `text matching \`${schema['pattern'].replaceAll('|', '\\|')}\``
  return typeof schema['maxLength'] === 'number' ? `text, at most ${schema['maxLength']} characters` : 'text'
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
