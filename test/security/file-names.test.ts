/** Ids that are given by others and become names of files: none of them leads out of its folder or to another's file. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { localArtifacts } from '../../src/adapters/artifacts/local.ts'
import { fileSecrets } from '../../src/adapters/secrets/file.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import { fileName } from '../../src/core/file-name.ts'
import { forgetSource, recallSource, rememberSource } from '../../src/edge/cli/files/sources.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'
import type { RunRow } from '../../src/ports/run-store.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { folderWith, keelson } from '../e2e/command.ts'
import { SEED as seed } from '../setup/seed.ts'

beforeAll(() => ensureBuilt())

const sha256 = (text: string): string => hash('sha256', text, 'hex')
const nameOf = (id: string): string => fileName(id, sha256)

const HOSTILE = [
  '../../victim',
  '../../../victim',
  '/etc/victim',
  '..',
  '.',
  '...',
  '.hidden',
  'a/../../victim',
  'a\\..\\..\\victim',
  'a\0b',
  'con',
  'NUL',
  'com1',
  'Order',
  'order ',
  'order.',
  'ORDER',
  '-rf',
  '~',
  '%2e%2e%2f',
  'é',
  'e\u0301',
  '\ud800',
  '\ud801',
  'x'.repeat(64),
  'x'.repeat(255),
  'a'.repeat(64),
  '',
]

describe('a name made of an id', () => {
  it('is a plain file name on every system, whatever the id', () => {
    for (const id of HOSTILE) expect([id, nameOf(id)]).toEqual([id, expect.stringMatching(/^[0-9a-f]{64}$/)])
  })

  it('is the id itself where that is plain, so that what older versions wrote is found', () => {
    for (const id of ['0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a', 'local', 'order-17', 'a']) expect(nameOf(id)).toBe(id)
  })

  it('is no other id’s name, not even where case does not count', () => {
    const ids = fc.oneof(fc.string({ maxLength: 80, unit: 'binary' }), fc.constantFrom(...HOSTILE), fc.uuid())
    fc.assert(
      fc.property(ids, ids, (one, other) => {
        const names = [nameOf(one), nameOf(other)].map((name) => name.toLowerCase())
        expect(names[0] === names[1]).toBe(one === other)
        expect(nameOf(one)).toMatch(/^[a-z0-9][a-z0-9-]{0,63}$/)
        expect(nameOf(nameOf(one)) === nameOf(one)).toBe(nameOf(one) === one)
      }),
      { numRuns: 2000, seed },
    )
  })
})

describe('a run whose id is a path', () => {
  const PLAN = loadPlan('plan: p\nversion: 1.0.0\nsteps: [{ id: a, wait: { forMs: 1 } }]\n')

  it.each(['../../victim', '../victim', 'x/../../../victim'])(
    'called %s is resumed by the command without touching the file it points at',
    async (runId) => {
      const folder = folderWith({ 'p.yaml': 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, wait: { forMs: 1 } }]\n' })
      mkdirSync(join(folder, '.keelson', 'sources', 'x'), { recursive: true })
      // As an entry of `sources` says it: were it read, the steps file in it would be run.
      const entry = JSON.stringify({ plan: '../p.yaml', steps: '../evil.mjs' })
      const targets = ['victim.json', '.keelson/victim.json', '../victim.json'].map((name) => join(folder, name))
      for (const target of targets) writeFileSync(target, entry)
      writeFileSync(join(folder, 'evil.mjs'), `import { writeFileSync } from 'node:fs'\nwriteFileSync('ran.txt', '')\n`)
      const program = await openKeelson({ directory: join(folder, '.keelson'), pollMs: 60_000 })
      await program.start(PLAN, undefined, { runId })
      await program.close()
      const { code, stderr } = await keelson(['resume'], folder)
      expect([code, stderr]).toEqual([0, ''])
      expect(targets.map((target) => existsSync(target) && readFileSync(target, 'utf8'))).toEqual(
        targets.map(() => entry),
      )
      expect(existsSync(join(folder, 'ran.txt'))).toBe(false)
    },
  )

  it('is noted under a name of its own, and a plan’s note is not taken by a run that is called like its hash', () => {
    const folder = folderWith({})
    const planSha256 = sha256('plan')
    const row = (runId: string): RunRow => ({ tenantId: 'local', runId, planSha256 }) as RunRow
    const uuid = '0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a'
    rememberSource(folder, row(uuid), { plan: join(folder, 'a.yaml') })
    expect(readdirSync(join(folder, 'sources')).toSorted()).toEqual([`${uuid}.json`, `${planSha256}.json`].toSorted())
    forgetSource(folder, row(planSha256))
    expect(recallSource(folder, row('another'))).toEqual({ plan: join(folder, 'a.yaml') })
    for (const id of HOSTILE) {
      rememberSource(folder, row(id), { plan: join(folder, 'b.yaml') })
      expect(recallSource(folder, { ...row(id), planSha256: '' })).toEqual({ plan: join(folder, 'b.yaml') })
      forgetSource(folder, row(id))
      expect([id, recallSource(folder, { ...row(id), planSha256: '../../victim' })]).toEqual([id, undefined])
    }
    // Another tenant's run of the same id, and a run that is called like the two together, have notes of their own.
    const theirs = { ...row(uuid), tenantId: 'acme', planSha256: '' }
    const posing = { ...row(JSON.stringify(['acme', uuid])), planSha256: '' }
    expect([recallSource(folder, theirs), recallSource(folder, posing)]).toEqual([undefined, undefined])
    rememberSource(folder, theirs, { plan: join(folder, 'c.yaml') })
    expect(recallSource(folder, posing)).toBeUndefined()
    expect(recallSource(folder, row(uuid))).toEqual({ plan: join(folder, 'a.yaml') })
    expect(readdirSync(folder)).toEqual(['sources'])
  })

  it('leaves artifacts and bundles inside their folders', async () => {
    const folder = folderWith({})
    const artifacts = localArtifacts(join(folder, 'artifacts'), systemRandom)
    for (const id of HOSTILE) {
      const holder = { tenantId: id, runId: id }
      const ref = await artifacts.put(holder, 'bytes', { kind: 'log' })
      expect(Buffer.from(await artifacts.get(holder, ref)).toString()).toBe('bytes')
      await artifacts.drop(holder)
    }
    expect(readdirSync(folder)).toEqual(['artifacts'])
    const program = await openKeelson({ directory: join(folder, 'state') })
    const run = await program.start(PLAN, undefined, { runId: '../../../victim' })
    await run.result()
    const { place } = await program.maintenance.archive(run.row)
    await program.close()
    expect(place).toMatch(new RegExp(`^${join(folder, 'state', 'archive')}/[0-9a-f]{64}\\.[0-9a-f]{12}\\.jsonl$`))
  })
})

it('a tenant’s secrets file is found by its exact name alone, whatever the file system takes for equal [SEC-04]', async () => {
  const folder = folderWith({})
  mkdirSync(join(folder, 'acme'))
  writeFileSync(join(folder, 'acme', 'prod.json'), '{ "token": "value" }', { mode: 0o600 })
  const tokens = await Promise.all(
    [
      ['acme', 'prod'],
      ['ACME', 'prod'],
      ['acme', 'PROD'],
      ['acme', '../acme/prod'],
      ['.', 'acme/prod'],
      ['acme\0', 'prod'],
    ].map(
      async ([tenantId = '', environmentId = '']) =>
        [...(await fileSecrets(folder).resolve(['secret://token'], { tenantId, environmentId })).values()].length,
    ),
  )
  expect(tokens).toEqual([1, 0, 0, 0, 0, 0])
})
