/** The running server against its own document, by a program that nobody here wrote: answers, headers and refusals are what it says. */
import { expect, it } from 'vitest'
import { testFolder } from '../fixtures/folder.ts'
import { extent } from '../setup/extent.ts'
import { trySchema, type Trial } from '../setup/schemathesis.ts'
import { SEED as seed } from '../setup/seed.ts'
import { BOUND, peopled } from './peopled.ts'
import { isStream } from './sample-requests.ts'
import { ANA } from './served.ts'

const EXAMPLES = extent(6, 400)

/** Streams may never end; they have tests of their own. */
const OPERATIONS = BOUND.filter((contract) => !isStream(contract)).map(({ id }) => id)

/**
 * Not among them: that every request which fits the form is accepted, since a form does not know which plans exist, and whether
 * deleted things stay deleted and other users' things hidden, which the matrix of tenants tries with what there really is.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'missing_required_header',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
]

async function tried(title: string, more: Pick<Trial, 'phases'> & { readonly withNames: boolean }): Promise<void> {
  // How often one may ask is tried elsewhere; here it would answer what comes late.
  await using world = await peopled(testFolder(), { limits: { perPrincipal: 0, perTenant: 0, perAddress: 0 } })
  const { server, acme } = world
  const named = Object.entries(acme.names).map(([name, value]) => [`path.${name}`, value] as const)
  const told = await trySchema({
    url: server.url,
    bearer: ANA,
    seed,
    examples: EXAMPLES,
    operations: OPERATIONS,
    // A run that waits for a person would be waited for; the time limit has a test of its own.
    values: { 'query.mode': 'async', ...(more.withNames ? Object.fromEntries(named) : {}) },
    checks: CHECKS,
    phases: more.phases,
    folder: testFolder(),
  })
  if (told === undefined) return
  process.stdout.write(`schemathesis ${title}: ${told.requests} requests (KEELSON_SEED=${seed})\n`)
  expect(told.code === 0 ? '' : told.output).toBe('')
  expect(told.requests).toBeGreaterThan(OPERATIONS.length * 2)
  expect(server.told).toEqual([])
  expect((await server.call('GET /healthz')).status).toBe(200)
}

/** Thousands of requests; beside other tests of a small machine they take minutes. */
const PATIENCE_MS = 900_000

it('finds nothing when it makes up every value [API-03, API-13, API-14]', { timeout: PATIENCE_MS }, async () => {
  await tried('with made-up names', { phases: ['fuzzing'], withNames: false })
})

it('finds nothing when runs and plans exist [API-03, API-13, API-14]', { timeout: PATIENCE_MS }, async () => {
  await tried('with names that exist', { phases: ['coverage', 'fuzzing', 'stateful'], withNames: true })
})
