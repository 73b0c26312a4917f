/** The fields of the seven kinds of action. A step, a compensation and a fallback each have exactly one action. */
import { EVENT_NAME } from '../../events/sent-event.ts'
import { LIMITS } from '../../limits.ts'
import { msFromIso } from '../../time.ts'
import { dutyRule } from './duty-rule.ts'
import { defaulted, objectOf, optional, required, type Section } from './fields.ts'
import { inlineSecrets, refuseInline } from './inline-secrets.ts'
import { secretInUrl } from './inline-secrets-elsewhere.ts'
import { kindOf, listOf, recordOf, withRule, type Kind } from './kind.ts'
import {
  anyText,
  durationMs,
  expression,
  id,
  json,
  jsonSchema,
  mapping,
  oneOf,
  readMs,
  template,
  text,
} from './kinds.ts'
import { uriFault } from './plan-uri.ts'
import type { Json, PlanReference, WaitAction } from '../plan.ts'
import { PLAN_LIMITS } from '../plan-limits.ts'
import { child, refuse } from '../read/reading.ts'
import { parseTemplate, wholeExpression } from '../read/template.ts'

const FUNCTION_NAME = /^(?:@[A-Za-z0-9_.-]+\/)?[A-Za-z0-9_.$:/-]+$/
export const run = text({
  max: 256,
  pattern: FUNCTION_NAME,
  what: 'text: the name of a function such as stock.reserve',
})

const url = withRule(template(text({ max: 8192, what: 'text: a URL' })), (value, place, reading) => {
  const secret = secretInUrl(value)
  if (secret !== undefined) return !refuseInline(secret, place, reading)
  if (/^https?:\/\/[^\s]+$/i.test(value) || value.startsWith('${')) return true
  refuse(reading, reading.codes.invalid, place, `'url' must begin with https:// or http://`)
  return false
})

const bigints = optional(
  oneOf('text'),
  'Whole numbers beyond ±9007199254740991 in the JSON become text with the same digits.',
  'text',
  'they are refused',
)

export const http = objectOf(
  {
    url: required(url, 'The address of the request; may contain `${…}`.', 'https://pay.example/charges'),
    method: optional(
      oneOf('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
      'The method of the request.',
      'PUT',
      'POST with a `body` or a `with`, else GET',
    ),
    headers: optional(mapping, 'Headers of the request; a null leaves a header out.', '{ accept: application/json }'),
    query: optional(mapping, 'Parameters added to the URL; a list repeats a parameter.', '{ page: "${input.page}" }'),
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
    cwd: optional(template(text()), 'The folder in which the program runs.', './site', 'the folder of the plan'),
    env: optional(environment, 'The whole environment of the program, besides PATH.', '{ CI: "1" }'),
    stdin: optional(
      json,
      'The standard input of the program; a value that is not text is sent as JSON.',
      '"${input}"',
      'the input, if there is any',
    ),
    bigints,
  },
  { what: 'command', foreign: { args: 'write argv', cmd: 'write argv', shell: 'there is no shell: write argv' } },
)

const millisecondsOrExpression: Kind<number | string> = {
  ...kindOf(
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
  ),
  leastMs: 0,
}
const forMs: Kind<number | string> = {
  ...millisecondsOrExpression,
  read: (value, place, reading) => readMs(millisecondsOrExpression, value, place, reading),
}
const until: Kind<string> = kindOf(
  'an instant such as 2030-01-31T09:00:00Z, or one whole ${…}',
  { type: 'string' },
  (value: Json): value is string =>
    typeof value === 'string' && (msFromIso(value) !== undefined || isWholeExpression(value)),
)

const eventName = text({ pattern: EVENT_NAME, what: 'text: the name of an event such as order.paid' })

const waitFields = objectOf(
  {
    forMs: optional(template(forMs), 'How long to wait.', '86400000'),
    until: optional(template(until), 'The instant to wait for.', '"${input.deliverAt}"'),
    forEvent: optional(
      eventName,
      'The name of the event to wait for. Its data is the output of the step.',
      'order.paid',
    ),
    key: optional(
      template(text({ max: LIMITS.eventKeyBytes })),
      'With `forEvent`: the key that the event must have; may contain `${…}`.',
      '"${input.orderId}"',
      'an event without a key',
    ),
    match: optional(
      expression('expression'),
      'With `forEvent`: a condition over `event` (`id`, `name`, `key`, `data`) and the run. An event for which it is not true leaves the step waiting.',
      'event.data.amount >= input.total',
      'every event will do',
    ),
    timeoutMs: optional(
      durationMs,
      'With `forEvent`: the time after which the step fails with EVENT_TIMEOUT.',
      '604800000',
      'never',
    ),
  },
  { what: 'wait', foreign: { event: 'write forEvent', on: 'write forEvent', correlationKey: 'write key' } },
)

const OF_EVENTS = ['key', 'match', 'timeoutMs'] as const

function isWholeExpression(value: string): boolean {
  const parts = parseTemplate(value)
  return parts.ok && wholeExpression(parts.value) !== undefined
}

export const wait: Kind<WaitAction['wait']> & Section = {
  ...waitFields,
  what: 'an object with for, until or forEvent',
  schema: { ...waitFields.schema, minProperties: 1 },
  read: (value, place, reading) => {
    const read = waitFields.read(value, place, reading)
    if (read === undefined) return undefined
    const { forMs: duration, until: instant, forEvent, ...rest } = read
    const given = [duration, instant, forEvent].filter((one) => one !== undefined)
    if (given.length !== 1) {
      refuse(reading, reading.codes.invalid, place, `'wait' needs one of 'for', 'until' and 'forEvent'`)
      return undefined
    }
    if (forEvent !== undefined) return { ...rest, forEvent }
    const stray = OF_EVENTS.find((name) => rest[name] !== undefined)
    if (stray === undefined)
      return duration === undefined ? { ...rest, until: instant ?? '' } : { ...rest, forMs: duration }
    const message = `'${stray}' belongs to a wait with 'forEvent'`
    refuse(reading, reading.codes.invalid, child(place, stray), message, { part: 'key' })
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
    rule: optional(dutyRule, 'The rule for who may complete the task.', 'MakerChecker'),
    assignees: optional(
      listOf(template(text({ max: 256 })), { max: 1000 }),
      'The people who may complete the task.',
      '[ana@acme.example]',
    ),
    evidenceSchema: optional(jsonSchema, 'JSON Schema of the evidence that completes the task.', '{ type: object }'),
    expiresAfterMs: optional(durationMs, 'The time after which the open task fails.', '604800000', 'never'),
  },
  { what: 'manual' },
)

const planFields = objectOf(
  {
    planId: required(id, 'The plan to run as a child.', 'ship-parcel'),
    planVersion: optional(id, 'Its version.', '2.0.0', 'the newest one published when the run starts'),
    uri: optional(
      text({ max: 2048 }),
      'The address of the plan: only the store, under its hash.',
      'plan:sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    ),
    sha256: optional(
      text({ pattern: /^[0-9a-f]{64}$/, what: 'text: 64 hex digits' }),
      'The hash of its bytes: only these bytes run.',
      '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    ),
    schemaVersion: optional(
      text({ pattern: /^v\d+\.\d+$/, what: "text such as 'v1.0'" }),
      'The version of its format.',
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
    if (read?.uri === undefined) return read
    if (read.sha256 === undefined) {
      refuse(reading, reading.codes.missing, child(place, 'uri'), `a plan with a 'uri' needs its 'sha256' too`)
      return undefined
    }
    const fault = uriFault(read)
    if (fault === undefined) return read
    refuse(reading, fault.code, child(place, 'uri'), fault.message)
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
    select: optional(template(text()), 'The models to select.', 'tag:nightly', 'all'),
    target: optional(template(text()), 'The target of the profile.', 'prod', 'the default of the profile'),
    profilesDir: optional(template(text()), 'Where profiles.yml is.', './profiles', 'the project'),
  },
  { what: 'dbt', foreign: { models: 'write select' } },
)
