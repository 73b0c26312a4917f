/**
 * The table of routes as an OpenAPI 3.1 document: the same object for the same table, always. It adds nothing that the server
 * does not do; what every route has in common (refusals, headers, who asks) is written once, among the components.
 */
import { decisionShape } from './acts.ts'
import { pathNames, type AnswerContract, type AnswerHeader, type Contract } from './contract.ts'
import { executionShape } from './executions.ts'
import { ANSWER_HEADERS, ASKED_HEADERS } from './headers.ts'
import { REFUSALS, refusalsOf, type Refusal } from './refusals.ts'
import { ROUTES } from './routes.ts'
import { errorBody, problemBody } from './words.ts'

/** The version of the package, which is also that of the document. */
const API_VERSION = '0.1.0'

type Json = Readonly<Record<string, unknown>>

const DESCRIPTION = `Starts, follows and steers runs of plans. The tenant comes from who asks and is never part of a request.
What belongs to another tenant is answered as what does not exist.

A refusal has a registered code, a message and a \`correlationId\`; with \`Accept: application/problem+json\` it has the form of RFC 9457.
An address that exists for other methods answers 405 with \`Allow\`; a field, query or path that is not described here is refused.
Answers may get more fields with later versions.`

export const TAGS: Readonly<Record<string, string>> = {
  executions: 'Start runs, list them, read one as it is or as it was.',
  streams: 'Follow runs while they move, as server-sent events.',
  acts: 'Steer a run: signals with their decisions, cancel, fork.',
  events: 'Tell runs what happened outside.',
  fleet: 'One signal to many runs.',
  queue: 'Runs that are admitted and have not started.',
  limits: 'What limits starts, and what runs share.',
  views: 'Views of the list of runs that people saved.',
  pauses: 'Pauses of a whole plan or tenant.',
  tasks: 'What waits for a person.',
  plans: 'Publish, read and compare plans.',
  schedules: 'Runs that start by the clock.',
  triggers: 'Runs that start by signed deliveries of other programs.',
  login: 'How people log in, in a browser and on the command line.',
  operations: 'What operators look after: alerts, engines, followers of the log.',
  work: 'Steps that plans leave to remote workers, and who does them.',
  keys: 'API keys of the tenant.',
  audit: 'What principals did.',
  process: 'The process itself.',
}

/** Shapes that are written once and named. They are known by their identity. */
const NAMED: readonly (readonly [string, Json])[] = [
  ['Execution', executionShape.schema],
  ['Decision', decisionShape.schema],
  ['Error', errorBody.schema],
  ['Problem', problemBody.schema],
]

/** By path, then by method, so that no order of files or exports shows. */
export const ORDERED_ROUTES: readonly Contract[] = [...ROUTES].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))

function orderOf({ path, method }: Contract): string {
  return `${path} ${method}`
}

export function openApi(routes: readonly Contract[] = ORDERED_ROUTES): Json {
  const tags = Object.keys(TAGS).filter((name) => routes.some(({ tag }) => tag === name))
  return {
    openapi: '3.1.1',
    info: {
      title: 'Keelson',
      summary: 'The HTTP interface of `keelson serve`.',
      description: DESCRIPTION,
      version: API_VERSION,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that gave this document.' }],
    security: [{ bearer: [] }],
    tags: tags.map((name) => ({ name, description: TAGS[name] })),
    paths: pathsOf(routes),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key (`keelson keys create`), or a token of the configured OIDC issuer. A server without either answers on the loopback address only, and asks for none.',
        },
      },
      headers: ANSWER_HEADERS,
      responses: Object.fromEntries(REFUSALS.map((one) => [one.name, refusalAnswer(one)])),
      schemas: Object.fromEntries(NAMED.map(([name, schema]) => [name, withRefs(schema, schema)])),
    },
  }
}

function pathsOf(routes: readonly Contract[]): Json {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const contract of routes) {
    const path = (paths[contract.path] ??= {})
    path[contract.method.toLowerCase()] = operationOf(contract)
  }
  return paths
}

function operationOf(contract: Contract): Json {
  const { id, tag, about, access, body } = contract
  const isOpen = access === 'anyone' || access === 'signature'
  return {
    operationId: id,
    tags: [tag],
    summary: summaryOf(about),
    description: `${about}\n\n${neededBy(access)}`,
    ...(isOpen ? { security: [] } : {}),
    parameters: parametersOf(contract),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: requiredOf(body.schema).length > 0,
            content: { 'application/json': { schema: withRefs(body.schema) } },
          },
        }),
    responses: answersOf(contract),
  }
}

function neededBy(access: Contract['access']): string {
  if (access === 'anyone') return 'Asked without a principal.'
  return access === 'signature' ? 'Known by the signature of the sender.' : `Needs the action \`${access}\`.`
}

/** The first sentence, without its full stop. */
function summaryOf(about: string): string {
  return (/^.*?[.:](?=\s|$)/.exec(about)?.[0] ?? about).replace(/[.:]$/, '')
}

function parametersOf(contract: Contract): readonly Json[] {
  const { params, query, headers = [] } = contract
  const inPath = fieldsOf(params?.schema)
  return [
    ...pathNames(contract).map((name) => ({ name, in: 'path', required: true, schema: inPath[name] ?? {} })),
    ...Object.entries(fieldsOf(query?.schema)).map(([name, schema]) => ({
      name,
      in: 'query',
      required: requiredOf(query?.schema).includes(name),
      schema,
    })),
    ...[...headers, 'X-Correlation-ID' as const].map((name) => ({
      name,
      in: 'header',
      required: false,
      ...ASKED_HEADERS[name],
    })),
  ]
}

function answersOf(contract: Contract): Json {
  const answers = Object.entries(contract.answers).map(([status, one]) => [status, answerOf(contract, status, one)])
  const tagged = isTagged(contract) ? [['304', notModified()]] : []
  const refusals = refusalsOf(contract).map(({ status, name }) => [
    String(status),
    { $ref: `#/components/responses/${name}` },
  ])
  return Object.fromEntries([...answers, ...tagged, ...refusals])
}

const isTagged = ({ headers = [] }: Contract): boolean => headers.includes('If-None-Match')

function answerOf(contract: Contract, status: string, answer: AnswerContract): Json {
  const { about, body, type = 'application/json', headers = {} } = answer
  const names = Object.keys(headers) as AnswerHeader[]
  const content = body === undefined ? {} : { content: contentOf(contract, type, withRefs(body.schema)) }
  return {
    description: about,
    headers: {
      ...headerRefs('X-Correlation-ID'),
      ...(isTagged(contract) && status === '200' ? headerRefs('ETag') : {}),
      ...Object.fromEntries(
        names.map((name) => [name, { ...ANSWER_HEADERS[name], required: headers[name] === 'always' }]),
      ),
    },
    ...content,
  }
}

/** A route that offers lines of JSON says so in its query `format`. */
function contentOf({ query }: Contract, type: string, schema: unknown): Json {
  const formats = (fieldsOf(query?.schema)['format'] as { readonly enum?: readonly string[] } | undefined)?.enum ?? []
  const lines = formats.includes('ndjson') ? { 'application/x-ndjson': { schema: { type: 'string' } } } : {}
  return { [type]: { schema }, ...lines }
}

function notModified(): Json {
  return {
    description: 'The caller has this content already.',
    headers: { ...headerRefs('X-Correlation-ID'), ...headerRefs('ETag') },
  }
}

function refusalAnswer({ about, headers }: Refusal): Json {
  return {
    description: about,
    headers: { ...headerRefs('X-Correlation-ID'), ...headerRefs(...headers) },
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' } },
      'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    },
  }
}

function headerRefs(...names: readonly (keyof typeof ANSWER_HEADERS)[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function fieldsOf(schema: Json | undefined): Json {
  return (schema?.['properties'] ?? {}) as Json
}

function requiredOf(schema: Json | undefined): readonly string[] {
  return (schema?.['required'] ?? []) as readonly string[]
}

/** The schema with a reference wherever a named shape stands; `own` is the one that is being written out. */
function withRefs(schema: unknown, own?: Json): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map((item) => withRefs(item))
  const named = schema === own ? undefined : NAMED.find(([, one]) => one === schema)?.[0]
  if (named !== undefined) return { $ref: `#/components/schemas/${named}` }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withRefs(value)]))
}
