/** The fields of the seven things a step can do. A step, a compensation and a fallback each hold exactly one of them. */
import { msFromIso } from '../time.ts'
import { dutyRule } from './duty-rule.ts'
import { defaulted, objectOf, optional, required, type Section } from './fields.ts'
import { inlineSecrets } from './inline-secrets.ts'
import { kindOf, listOf, recordOf, withRule, type Kind } from './kind.ts'
import { anyText, durationMs, id, json, jsonSchema, mapping, oneOf, template, text } from './kinds.ts'
import type { Json, PlanReference, WaitAction } from './plan.ts'
import { PLAN_LIMITS } from './plan-limits.ts'
import { child, refuse } from './reading.ts'
import { parseTemplate, wholeExpression } from './template.ts'

const FUNCTION_NAME = /^[A-Za-z0-9_.$:/-]{1,256}$/
export const run = text({ pattern: FUNCTION_NAME, what: 'text: the name of a function such as stock.reserve' })

const url = withRule(template(text({ max: 8192, what: 'text: a URL' })), (value, place, reading) => {
  if (/^https?:\/\/[^\s]+$/i.test(value) || value.startsWith('${')) return true
  refuse(reading, reading.codes.invalid, place, `'url' must begin with https:// or http://`)
  return false
})

const bigints = optional(
  oneOf('text'),
  'Whole numbers beyond ±9007199254740991 in what is read as JSON become text with the same digits.',
  'text',
  'they are refused',
)

export const http = objectOf(
  {
    url: required(url, 'Where the request goes; may hold `${…}`.', 'https://pay.example/charges'),
    method: defaulted(
      oneOf('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
      'POST',
      'The method of the request.',
      'GET',
    ),
    headers: optional(mapping, 'Headers of the request; a null leaves one out.', '{ accept: application/json }'),
    query: optional(
      mapping,
      'Parameters added to the URL; a list gives one several times.',
      '{ page: "${input.page}" }',
    ),
    body: optional(json, 'The body, sent as JSON.', '{ order: "${input.orderId}" }', 'the input, where a body may be'),
    expect: defaulted(
      oneOf('json', 'text', 'none'),
      'json',
      'How the answer becomes the output: parsed, as text, or not at all (null).',
      'text',
    ),
    bigints,
  },
  { what: 'http', foreign: { uri: 'write url', data: 'write body', params: 'write query' } },
)

const environment = withRule(
  recordOf(template(anyText)),
  (value, place, reading) => !inlineSecrets(value, place, reading),
)

export const command = objectOf(
  {
    argv: required(
      listOf(template(anyText), { min: 1, max: 10_000 }),
      'The program and its arguments; no shell reads them.',
      '[git, push, origin]',
    ),
    cwd: optional(template(text()), 'The folder it runs in.', './site', 'the folder of the plan'),
    env: optional(environment, 'The whole environment it gets, besides PATH.', '{ CI: "1" }'),
    stdin: optional(
      json,
      'What it reads from standard input; a value that is not text is sent as JSON.',
      '"${input}"',
      'the input, if there is any',
    ),
    bigints,
  },
  { what: 'command', foreign: { args: 'write argv', cmd: 'write argv', shell: 'there is no shell: write argv' } },
)

const forMs: Kind<number | string> = kindOf(
  'a number of milliseconds, or one whole ${…}',
  {
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: '^\\$\\{' },
    ],
  },
  (value: Json): value is number | string =>
    (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= PLAN_LIMITS.durationMsMax) ||
    (typeof value === 'string' && isWholeExpression(value)),
)
const until: Kind<string> = kindOf(
  'an instant such as 2030-01-31T09:00:00Z, or one whole ${…}',
  { type: 'string' },
  (value: Json): value is string =>
    typeof value === 'string' && (msFromIso(value) !== undefined || isWholeExpression(value)),
)

const waitFields = objectOf(
  {
    forMs: optional(collecting(forMs), 'How long to wait.', '86400000'),
    until: optional(template(until), 'The instant to wait for.', '"${input.deliverAt}"'),
  },
  { what: 'wait' },
)

function isWholeExpression(value: string): boolean {
  const parts = parseTemplate(value)
  return parts.ok && wholeExpression(parts.value) !== undefined
}

/** `forMs` may be a number, so it is a template only when it is text. */
function collecting(kind: Kind<number | string>): Kind<number | string> {
  return withRule(kind, (value, place, reading) => {
    if (typeof value === 'string' && place !== undefined) reading.sites.push({ role: 'template', place, value })
    return true
  })
}

export const wait: Kind<WaitAction['wait']> & Section = {
  ...waitFields,
  what: 'an object with forMs or until',
  schema: { ...waitFields.schema, minProperties: 1 },
  read: (value, place, reading) => {
    const read = waitFields.read(value, place, reading)
    if (read === undefined) return undefined
    const { forMs: duration, until: instant, ...rest } = read
    if (duration !== undefined && instant === undefined) return { ...rest, forMs: duration }
    if (instant !== undefined && duration === undefined) return { ...rest, until: instant }
    refuse(reading, reading.codes.invalid, place, `'wait' needs either 'forMs' or 'until'`)
    return undefined
  },
}

export const manual = objectOf(
  {
    title: required(
      template(text({ max: 1024 })),
      'What the person has to do, in one line.',
      'Release order ${input.orderId}',
    ),
    instructions: optional(template(text()), 'How to do it.', 'Check the address first.'),
    rule: optional(dutyRule, 'Who may complete the task.', 'MakerChecker'),
    assignees: optional(listOf(template(text({ max: 256 })), { max: 1000 }), 'Who is asked.', '[ana@acme.example]'),
    evidenceSchema: optional(jsonSchema, 'JSON Schema of the evidence that completes the task.', '{ type: object }'),
    expiresAfterMs: optional(durationMs, 'When the task fails by itself.', '604800000', 'never'),
  },
  { what: 'manual' },
)

const planFields = objectOf(
  {
    planId: required(id, 'The plan to run as a child.', 'ship-parcel'),
    planVersion: optional(id, 'Its version.', '2.0.0', 'the newest one published'),
    uri: optional(text({ max: 2048 }), 'Where it is fetched from.', 'https://plans.example/ship.json'),
    sha256: optional(
      text({ pattern: /^[0-9a-f]{64}$/, what: 'text: 64 hex digits' }),
      'The hash of its bytes.',
      '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    ),
    schemaVersion: optional(
      text({ pattern: /^v\d+\.\d+$/, what: "text such as 'v1.0'" }),
      'The format it is in.',
      'v1.0',
    ),
  },
  { what: 'plan' },
)

export const plan: Kind<PlanReference> & Section = {
  ...planFields,
  read: (value, place, reading) => {
    if (typeof value === 'string') {
      refuse(reading, reading.codes.invalid, place, `'plan' must be an object`, {
        hint: `write { planId: ${value.slice(0, 128)} }`,
      })
      return undefined
    }
    const read = planFields.read(value, place, reading)
    if (read?.uri === undefined || read.sha256 !== undefined) return read
    refuse(reading, reading.codes.missing, child(place, 'uri'), `a plan with a 'uri' needs its 'sha256' too`)
    return undefined
  },
}

export const dbt = objectOf(
  {
    project: required(template(text()), 'The folder of the dbt project.', './warehouse'),
    command: defaulted(
      text({ max: 64, pattern: /^[a-z][a-z-]*$/, what: 'text: a dbt command such as build' }),
      'build',
      'The dbt command.',
      'test',
    ),
    select: optional(template(text()), 'Which models.', 'tag:nightly', 'all'),
    target: optional(template(text()), 'The target of the profile.', 'prod', 'the default of the profile'),
    profilesDir: optional(template(text()), 'Where profiles.yml is.', './profiles', 'the project'),
  },
  { what: 'dbt', foreign: { models: 'write select' } },
)
