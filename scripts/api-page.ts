/** docs/reference/api.md: every route of the server with who may call it, what it takes, what it answers and one line to try it. */
import { pathNames, type Contract } from '../src/core/api/contract.ts'
import { ASKED_HEADERS } from '../src/core/api/headers.ts'
import { ORDERED_ROUTES, TAGS } from '../src/core/api/openapi.ts'
import { REFUSALS, refusalsOf } from '../src/core/api/refusals.ts'
import { GRANTS, ROLES } from '../src/core/authority/actions.ts'
import type { GeneratedFile } from './generated-file.ts'

interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

const INTRODUCTION = `# The HTTP interface

<!-- Generated from src/core/api by \`npm run docs\`. -->

Every route of \`keelson serve\` and \`keelson dev\`. \`GET /openapi.json\` gives the same as an OpenAPI 3.1 document, which is also in
[schemas/openapi.json](../../schemas/openapi.json). In the lines to try, \`$SERVER\` is the address that the server printed, \`$KEY\` an API key, and
\`$RUN\` the id of a run; a server without configured authentication needs no \`Authorization\`.

- The tenant comes from who asks. A tenant in a body or query is refused, and what belongs to another tenant is answered as what does not exist.
- Bodies are JSON (\`Content-Type: application/json\`). A field or query that a route does not have is refused, with a suggestion.
- Names in a path are percent-encoded: \`pack[5]\` is \`pack%5B5%5D\`, \`COMP:pay\` is \`COMP%3Apay\`.
- \`X-Correlation-ID\` is accepted, returned, and written with what the request does.
- Answers may get more fields with later versions: ignore those that you do not know.
`

export function apiPage(): GeneratedFile {
  const tags = Object.keys(TAGS).filter((name) => ORDERED_ROUTES.some(({ tag }) => tag === name))
  const sections = tags.flatMap((tag) => [
    `## ${tag}`,
    '',
    TAGS[tag] ?? '',
    '',
    ...ORDERED_ROUTES.filter((contract) => contract.tag === tag).map(routeText),
  ])
  return { path: 'docs/reference/api.md', text: [INTRODUCTION, refusals(), ...sections].join('\n').trimEnd() + '\n' }
}

function refusals(): string {
  return [
    '## Refusals',
    '',
    'A refusal is `{ error: { code, category, message, help, retryable, hint?, details?, problems? }, timestamp, correlationId }`; with `Accept: application/problem+json` it has the form of RFC 9457.',
    'Every code has a page in [docs/errors](../errors/README.md).',
    '',
    '| status | when |',
    '|---|---|',
    ...REFUSALS.map(({ status, about }) => `| ${status} | ${about} |`),
    '| 405 | The address exists for other methods, which `Allow` names: `METHOD_NOT_ALLOWED`. |',
    '',
  ].join('\n')
}

function routeText(contract: Contract): string {
  const { id, method, path, about, answers } = contract
  const takes = takesRows(contract)
  const others = refusalsOf(contract).map(({ status }) => status)
  return [
    `### \`${method} ${path}\``,
    '',
    `${about} (\`${id}\`)`,
    '',
    `Who may: ${whoMay(contract)}.`,
    '',
    ...(takes.length === 0 ? ['Takes nothing.'] : ['| takes | where | form |', '|---|---|---|', ...takes]),
    '',
    '| answers | |',
    '|---|---|',
    ...Object.entries(answers).map(([status, answer]) => `| ${status} | ${answerText(answer)} |`),
    `| refusals | ${others.join(', ')} |`,
    '',
    '```sh',
    curlOf(contract),
    '```',
    '',
  ].join('\n')
}

function answerText({ about, body, type, headers = {} }: Contract['answers'][number]): string {
  const fields = Object.keys((body?.schema as Schema | undefined)?.properties ?? {})
  return [
    about,
    fields.length === 0 ? '' : ` Fields: ${fields.map((name) => `\`${name}\``).join(', ')}.`,
    type === undefined ? '' : ` Type: \`${type}\`.`,
    Object.keys(headers).length === 0 ? '' : ` Headers: ${Object.keys(headers).join(', ')}.`,
  ].join('')
}

function whoMay({ access }: Contract): string {
  if (access === 'anyone') return 'anyone, without a principal'
  if (access === 'signature') return 'whoever signs it'
  const roles = ROLES.filter((role) => GRANTS[role].includes(access))
  return `${roles.join(', ')} (\`${access}\`)`
}

function takesRows({ params, query, body, headers = [] }: Contract): readonly string[] {
  const rows = (schema: unknown, where: string): readonly string[] => {
    const { properties = {}, required = [] } = (schema ?? {}) as Schema
    return Object.entries(properties).map(
      ([name, field]) =>
        `| \`${name}\`${required.includes(name) ? '' : ' (optional)'} | ${where} | ${formOf(field).replaceAll('|', '\\|')} |`,
    )
  }
  return [
    ...rows(params?.schema, 'path'),
    ...rows(query?.schema, 'query'),
    ...headers.map((name) => `| \`${name}\` (optional) | header | ${String(ASKED_HEADERS[name]['description'])} |`),
    ...rows(body?.schema, 'body'),
  ]
}

function formOf({ type, enum: words, const: only, items, pattern, ...limits }: Schema): string {
  if (only !== undefined) return `\`${JSON.stringify(only)}\``
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ')
  if (items !== undefined) return `several: ${formOf(items)}`
  if (pattern !== undefined) return `text like \`${pattern}\``
  if (type === 'integer') return `whole number${range(limits.minimum, limits.maximum)}`
  if (type === 'string') return `text${range(limits.minLength, limits.maxLength, ' characters')}`
  if (type === 'boolean') return '`true` or `false`'
  return type === 'object' ? 'object' : 'any JSON'
}

function range(from: number | undefined, to: number | undefined, unit = ''): string {
  if (to === undefined || to === Number.MAX_SAFE_INTEGER) return from === undefined ? '' : ` from ${from}`
  return `, ${from ?? 0} to ${to.toLocaleString('en')}${unit}`
}

/** Bodies that say more than the first value of each required field. */
const BODIES: Readonly<Record<string, unknown>> = {
  startExecution: { planId: 'etl', input: { day: '2026-01-31' } },
  executeWorkflow: { planId: 'etl', input: { day: '2026-01-31' } },
  sendSignal: {
    signalId: '3f0c9d3e-6b1a-4c57-9c40-0d3c2a9d7f11',
    signalType: 'PAUSE',
    payload: { reason: 'a look first' },
  },
  cancelExecution: { reason: 'wrong input' },
  forkExecution: { from: 'load' },
  completeTask: { outcome: 'Succeeded', notes: 'looks right' },
  publishPlan: { text: 'plan: hello\nversion: 1.0.0\nsteps: [{ id: hi, run: hello }]\n', check: true },
  rejectExecution: { reason: 'not today' },
  acceptDecision: { reason: 'agreed' },
  refuseDecision: { reason: 'not now' },
  createKey: { displayName: 'ci', roles: ['Operator'], expiresAt: '2027-01-01T00:00:00Z' },
}

/** Named in the address; the others are shell variables of the same name. */
const NAMES: Readonly<Record<string, string>> = { executionId: '$RUN', step: 'load', planId: 'etl' }

function curlOf(contract: Contract): string {
  const { id, method, access, query, body } = contract
  const path = pathNames(contract).reduce(
    (text, name) => text.replace(`{${name}}`, NAMES[name] ?? `$${name.toUpperCase()}`),
    contract.path as string,
  )
  const { properties = {}, required = [] } = (query?.schema ?? {}) as Schema
  const search = Object.keys(properties)
    .filter((name) => required.includes(name))
    .map((name) => `${name}=${name === 'from' ? '1.0.0' : '1.1.0'}`)
  const given = BODIES[id] ?? (body === undefined ? undefined : {})
  const isStream = Object.values(contract.answers).some(({ type }) => type === 'text/event-stream')
  return [
    `curl ${isStream ? '-N' : '-s'}${method === 'GET' ? '' : ` -X ${method}`}`,
    ...(access === 'anyone' || access === 'signature' ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...(access === 'anyone' && method !== 'GET' ? ['-H "Origin: $SERVER"'] : []),
    ...(given === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(given)}'`]),
    `"$SERVER${path}${search.length === 0 ? '' : `?${search.join('&')}`}"`,
  ].join(' ')
}
