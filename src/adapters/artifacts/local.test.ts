/** Artifacts as files: pointers that say what they point to, bytes that are what the pointer says. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { artifactRef } from '../../core/events/payloads.ts'
import { checkOf } from '../../core/schema/check.ts'
import { systemRandom } from '../system/random.ts'
import { localArtifacts } from './local.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-artifacts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const store = () => localArtifacts(join(folder, 'artifacts'), systemRandom)
const files = (): string[] => readdirSync(join(folder, 'artifacts'))
const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (thrown: unknown) => (thrown as { code?: string }).code,
  )

it('gives a pointer with hash and size that events accept, and the bytes back [SEC-05]', async () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251)
  const ref = await store().put(bytes, { kind: 'log-bundle', name: 'run 1.log', expiresAt: '2027-01-01T00:00:00Z' })
  expect(ref).toEqual({
    uri: `artifact:sha256:${sha256(bytes)}?name=run%201.log`,
    kind: 'log-bundle',
    sha256: sha256(bytes),
    sizeBytes: 300_000,
    expiresAt: '2027-01-01T00:00:00Z',
  })
  expect(checkOf(artifactRef.schema)(ref)).toBeUndefined()
  expect(Buffer.compare(await store().get(ref), bytes)).toBe(0)
})

it('takes a stream as it comes, and keeps the same bytes once', async () => {
  async function* parts() {
    yield 'one '
    yield new TextEncoder().encode('two')
  }
  const streamed = await store().put(parts(), { kind: 'text' })
  const whole = await store().put('one two', { kind: 'text' })
  expect(streamed).toEqual(whole)
  expect(files()).toEqual([sha256('one two')])
  expect(statSync(join(folder, 'artifacts', streamed.sha256)).mode & 0o777).toBe(0o600)
})

it('leaves nothing behind of a stream that breaks', async () => {
  async function* broken() {
    yield 'half'
    throw new Error('cut off')
  }
  await expect(store().put(broken(), { kind: 'text' })).rejects.toThrow('cut off')
  expect(files()).toEqual([])
})

it('hands out no bytes that are not what the pointer says', async () => {
  const ref = await store().put('the truth', { kind: 'text' })
  writeFileSync(join(folder, 'artifacts', ref.sha256), 'something else')
  expect(await codeOf(store().get(ref))).toBe('ARTIFACT_DAMAGED')
})

it('reads nothing but its own files', async () => {
  await store().put('x', { kind: 'text' })
  writeFileSync(join(folder, 'outside'), 'x')
  const uris = [
    `artifact:sha256:${'0'.repeat(64)}`,
    'artifact:sha256:../outside',
    's3://bucket/key',
    `artifact:sha256:${sha256('x')}/..`,
  ]
  for (const uri of uris) expect([uri, await codeOf(store().get({ uri }))]).toEqual([uri, 'ARTIFACT_NOT_FOUND'])
})

it('refuses a kind, a name or an instant that no event would carry', async () => {
  for (const about of [
    { kind: '' },
    { kind: 'a', name: '../x' },
    { kind: 'a', name: '' },
    { kind: 'a', expiresAt: 'soon' },
  ])
    expect(await codeOf(store().put('x', about))).toBe('ARTIFACT_REFUSED')
})
