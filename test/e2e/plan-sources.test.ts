/** The two hashes of a plan on the command line: of the file as it is, and of the plan that is made of it. */
import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { loadPlan } from '../../src/main.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson } from './command.ts'

// With a byte order mark: the text does not have it, the file does.
const PLAN = '\uFEFFplan: order\nversion: 1.0.0\nsteps: [{ id: a, wait: { forMs: 0 } }]\n'
const FOREIGN = '{ "metadata": { "planId": "nightly", "planVersion": "1.0.0" }, "steps": [{ "stepId": "s1" }] }'
const ofFile = createHash('sha256').update(PLAN).digest('hex')
const ofPlan = loadPlan(PLAN.slice(1)).sha256

beforeAll(ensureBuilt)

it('plan hash tells both, and a reference to the file as it is [X-108]', async () => {
  const folder = folderWith({ 'plan.yaml': PLAN })
  const { code, stdout } = await keelson(['plan', 'hash', 'plan.yaml'], folder)
  expect(code).toBe(0)
  expect(stdout).toBe(
    `${ofFile}   plan.yaml as it is, ${Buffer.byteLength(PLAN)} bytes\n${ofPlan}   order 1.0.0 compiled\n`,
  )
  const [told] = jsonLines((await keelson(['plan', 'hash', '.', '--json'], folder)).stdout)
  expect(told).toEqual({
    file: 'plan.yaml',
    planId: 'order',
    planVersion: '1.0.0',
    sha256: ofPlan,
    sourceSha256: ofFile,
    planRef: {
      uri: pathToFileURL(join(folder, 'plan.yaml')).href,
      sha256: ofFile,
      schemaVersion: 'v1.0',
      planId: 'order',
      planVersion: '1.0.0',
      sizeBytes: Buffer.byteLength(PLAN),
    },
  })
})

it('plan hash and plan import tell the hash of a foreign document’s own bytes [X-108]', async () => {
  const folder = folderWith({ 'w.json': FOREIGN })
  const sourceSha256 = createHash('sha256').update(FOREIGN).digest('hex')
  const [told] = jsonLines((await keelson(['plan', 'hash', 'w.json', '--json'], folder)).stdout)
  expect(told).toMatchObject({ planId: 'nightly', sourceSha256, from: 'dvt' })
  const [made] = jsonLines((await keelson(['plan', 'import', 'w.json', '--json'], folder)).stdout)
  expect(made).toMatchObject({ sourceSha256, sha256: told?.['sha256'] })
  const said = await keelson(['plan', 'hash', 'w.json'], folder)
  expect(said.stdout).toContain('nightly 1.0.0 imported from dvt and compiled')
})

it('a run is started from the file of a hash and no other, shows both hashes, and is verified with the file [X-41, X-108]', async () => {
  const folder = folderWith({ 'plan.yaml': PLAN })
  expect((await keelson(['run', 'plan.yaml', '--sha256', ofFile], folder)).code).toBe(0)
  const [shown] = jsonLines((await keelson(['show', 'last', '--json'], folder)).stdout)
  expect(shown).toMatchObject({
    planSha256: ofPlan,
    planSource: { sha256: ofFile, sizeBytes: Buffer.byteLength(PLAN) },
  })
  const whole = await keelson(['verify', 'last', '--source', 'plan.yaml'], folder)
  expect(whole.code).toBe(0)
  expect(whole.stdout).toContain(`plan source      ${ofFile}: the bytes on record; they give its plan`)
  await keelson(['export', 'last', '--out', 'run.jsonl'], folder)
  appendFileSync(join(folder, 'plan.yaml'), '# changed\n')
  const changed = createHash('sha256').update(`${PLAN}# changed\n`).digest('hex')
  for (const name of ['last', 'run.jsonl']) {
    const found = await keelson(['verify', name, '--source', 'plan.yaml'], folder)
    expect(found.code).toBe(1)
    expect(found.stdout).toContain('the log is whole, but its plan was made of other bytes')
    expect(found.stdout).toContain(
      `PLAN_INTEGRITY_VALIDATION_FAILED  the plan was made of ${ofFile}; these bytes are ${changed}`,
    )
  }
  const refused = await keelson(['run', 'plan.yaml', '--sha256', ofFile], folder)
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain(`PLAN_INTEGRITY_VALIDATION_FAILED  plan.yaml has the hash ${changed}, not ${ofFile}`)
})

it('plan check, compile and publish tell both hashes to a script', async () => {
  const folder = folderWith({ 'plan.yaml': PLAN })
  for (const command of ['check', 'compile', 'publish']) {
    const [told] = jsonLines((await keelson(['plan', command, 'plan.yaml', '--json'], folder)).stdout)
    expect(told).toMatchObject({ sha256: ofPlan, sourceSha256: ofFile })
  }
})

it('a hash that is none, or stands beside a published plan, is a mistake of the command', async () => {
  const folder = folderWith({ 'plan.yaml': PLAN })
  for (const args of [
    ['run', 'plan.yaml', '--sha256', 'abc'],
    ['run', '--plan-id', 'order', '--sha256', ofFile],
    ['verify', '--store', '--source', 'plan.yaml'],
  ]) {
    const { code, stderr } = await keelson(args, folder)
    expect(code, stderr).toBe(2)
    expect(stderr).toContain('USAGE')
  }
})
