/** Artifacts as files: pointers that say what they point to, bytes that are what the pointer says. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { artifactRef } from '../../core/events/payloads.ts'
import { checkOf } from '../../core/schema/check.ts'
import { systemRandom } from '../system/random.ts'
import { localArtifacts } from './local.ts'
import { testFolder } from '../../../test/fixtures/folder.ts'

let folder = ''
beforeEach(() => {
  folder = testFolder()
})

const store = () => localArtifacts(join(folder, 'artifacts'), systemRandom)
const A = { tenantId: 'acme', runId: 'run-a' }
const B = { tenantId: 'acme', runId: 'run-b' }
const STRANGER = { tenantId: 'Other Ltd', runId: 'run-a' }
const acme = (...path: string[]): string => join(folder, 'artifacts', 'tenants', 'acme', ...path)
/** Hashes of the tenant's bytes, and hashes of the bytes each run holds. */
const files = (): string[] => readdirSync(acme()).filter((name) => name !== 'runs')
const heldBy = (runId: string): string[] => (existsSync(acme('runs', runId)) ? readdirSync(acme('runs', runId)) : [])
const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (thrown: unknown) => (thrown as { code?: string }).code,
  )

it('gives a pointer with hash and size that events accept, and the bytes back [SEC-05]', async () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251)
  const ref = await store().put(A, bytes, { kind: 'log-bundle', name: 'run 1.log', expiresAt: '2027-01-01T00:00:00Z' })
  expect(ref).toEqual({
    uri: `artifact:sha256:${sha256(bytes)}?name=run%201.log`,
    kind: 'log-bundle',
    sha256: sha256(bytes),
    sizeBytes: 300_000,
    expiresAt: '2027-01-01T00:00:00Z',
  })
  expect(checkOf(artifactRef.schema)(ref)).toBeUndefined()
  expect(Buffer.compare(await store().get(A, ref), bytes)).toBe(0)
})

it('takes a stream as it comes, and keeps the same bytes once', async () => {
  async function* parts() {
    yield 'one '
    yield new TextEncoder().encode('two')
  }
  const streamed = await store().put(A, parts(), { kind: 'text' })
  const whole = await store().put(A, 'one two', { kind: 'text' })
  expect(streamed).toEqual(whole)
  expect(files()).toEqual([sha256('one two')])
  expect(statSync(acme(streamed.sha256)).mode & 0o777).toBe(0o600)
})

it('leaves nothing behind of a stream that breaks', async () => {
  async function* broken() {
    yield 'half'
    throw new Error('cut off')
  }
  await expect(store().put(A, broken(), { kind: 'text' })).rejects.toThrow('cut off')
  expect(files()).toEqual([])
})

it('hands out no bytes that are not what the pointer says', async () => {
  const ref = await store().put(A, 'the truth', { kind: 'text' })
  writeFileSync(acme(ref.sha256), 'something else')
  expect(await codeOf(store().get(A, ref))).toBe('ARTIFACT_DAMAGED')
})

it('reads nothing but its own files', async () => {
  await store().put(A, 'x', { kind: 'text' })
  writeFileSync(join(folder, 'outside'), 'x')
  const uris = [
    `artifact:sha256:${'0'.repeat(64)}`,
    'artifact:sha256:../outside',
    's3://bucket/key',
    `artifact:sha256:${sha256('x')}/..`,
  ]
  for (const uri of uris) expect([uri, await codeOf(store().get(A, { uri }))]).toEqual([uri, 'ARTIFACT_NOT_FOUND'])
})

it('refuses a kind, a name or an instant that no event would carry', async () => {
  for (const about of [
    { kind: '' },
    { kind: 'a', name: '../x' },
    { kind: 'a', name: '' },
    { kind: 'a', expiresAt: 'soon' },
  ])
    expect(await codeOf(store().put(A, 'x', about))).toBe('ARTIFACT_REFUSED')
})

it('keeps tenants apart: the pointer of another one leads to nothing, and the same bytes lie twice [P-34]', async () => {
  const ref = await store().put(A, 'personal', { kind: 'text' })
  expect(await codeOf(store().get(STRANGER, ref))).toBe('ARTIFACT_NOT_FOUND')
  await store().put(STRANGER, 'personal', { kind: 'text' })
  await store().drop(A)
  expect(await codeOf(store().get(A, ref))).toBe('ARTIFACT_NOT_FOUND')
  expect(Buffer.from(await store().get(STRANGER, ref)).toString()).toBe('personal')
})

it('drops with a run what no other run of the tenant made, read or was given to hold [P-34]', async () => {
  const only = await store().put(A, 'only of a', { kind: 'text' })
  const both = await store().put(A, 'made twice', { kind: 'text' })
  await store().put(B, 'made twice', { kind: 'text' })
  const seen = await store().put(A, 'read by b', { kind: 'text' })
  await store().get(B, seen)
  const given = await store().put(A, 'taken over', { kind: 'text' })
  await store().hold(B, [given, { uri: 's3://bucket/key' }, { uri: `artifact:sha256:${'0'.repeat(64)}` }])
  await store().drop(A)
  expect(files()).toEqual([both.sha256, seen.sha256, given.sha256].toSorted())
  expect(await codeOf(store().get(B, only))).toBe('ARTIFACT_NOT_FOUND')
  for (const ref of [both, seen, given]) expect(await codeOf(store().get(B, ref))).toBe('done')
  await store().drop(B)
  await store().drop(B)
  expect([files(), heldBy('run-a'), heldBy('run-b')]).toEqual([[], [], []])
})

it('finishes a drop that was broken off between a shared name and a run’s own [P-34]', async () => {
  const first = await store().put(A, 'one', { kind: 'text' })
  await store().put(A, 'two', { kind: 'text' })
  rmSync(acme(first.sha256))
  await store().drop(A)
  expect([files(), heldBy('run-a')]).toEqual([[], []])
})

it('leaves bytes another run has stored anew, where its own lie under no shared name any more [P-34]', async () => {
  const ref = await store().put(A, 'again', { kind: 'text' })
  rmSync(acme(ref.sha256))
  await store().put(B, 'again', { kind: 'text' })
  await store().drop(A)
  expect(files()).toEqual([ref.sha256])
  expect(await codeOf(store().get(B, ref))).toBe('done')
})

it('drops what two runs held when both are dropped at once [P-34]', async () => {
  for (let round = 0; round < 20; round += 1) {
    await store().put(A, `shared ${round}`, { kind: 'text' })
    await store().put(B, `shared ${round}`, { kind: 'text' })
  }
  await Promise.all([store().drop(A), store().drop(B)])
  expect(files()).toEqual([])
})

it('still reads what was kept before tenants were told apart', async () => {
  mkdirSync(join(folder, 'artifacts'))
  writeFileSync(join(folder, 'artifacts', sha256('old')), 'old')
  const ref = { uri: `artifact:sha256:${sha256('old')}` }
  expect(Buffer.from(await store().get(A, ref)).toString()).toBe('old')
})

it('says at once where no folder can be made, rather than try for ever', async () => {
  const nowhere = localArtifacts('/proc/keelson/artifacts', systemRandom)
  await expect(nowhere.put(A, 'x', { kind: 'text' })).rejects.toThrow(/ENOENT|EACCES|EPERM|EROFS/)
})
