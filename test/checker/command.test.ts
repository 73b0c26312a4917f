/** The checker on what the command gives: a bundle with receipts, an erased run, and the lines of `events --json`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from '../e2e/built.ts'
import { folderWith, jsonLines, keelson } from '../e2e/command.ts'
import { relinkedText } from './alter.ts'
import { checkFiles } from './python.ts'

const PLAN = `plan: p
version: 1.0.0
policy: { onFailure: continue, retry: { maxAttempts: 2, initialBackoffMs: 1 } }
output: { sum: "\${steps.list.output}" }
steps:
  - { id: list, run: list, dependsOn: [] }
  - { id: fan, run: half, forEach: steps.list.output, dependsOn: [list], with: { of: "\${item}" } }
  - { id: large, run: large, dependsOn: [] }
  - { id: bad, run: bad, dependsOn: [], fallback: { run: list } }
`
/** Numbers, characters and sizes that another language writes differently when it is careless. */
const STEPS = `
export const list = () => [1e21, 1.5e-7, 123456789012345680000, 0.000001, -0, 5e-324, 1.7976931348623157e308]
export const half = ({ of }) => ({ of, 'Köln€\\u{1F600}\\u2028"\\\\': '\\u0001\\t\\u007f' })
export const large = () => 'x'.repeat(100_000)
export const bad = () => { throw Object.assign(new Error('no'), { response: { status: 503 } }) }
`

beforeAll(ensureBuilt)

async function exported(): Promise<{ readonly folder: string; readonly file: string; readonly key: string }> {
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.ts': STEPS })
  const ran = await keelson(['run', 'p.yaml'], folder)
  expect(ran.code, ran.stderr + ran.stdout).toBe(0)
  const file = join(folder, 'run.jsonl')
  expect((await keelson(['export', 'last', '--out', file], folder)).code).toBe(0)
  const key = jsonLines(readFileSync(file, 'utf8')).find(({ part }) => part === 'key')?.['body'] as {
    publicKey: string
  }
  return { folder, file, key: key.publicKey }
}

it('a bundle is whole, its receipts are signed by its key, and no other key will do [P-33, P-48]', async () => {
  const { folder, file, key } = await exported()
  const [own] = checkFiles(folder, [file], ['--key', key])
  expect(own).toMatchObject({ whole: true, status: 'COMPLETED', anchors: ['end', 'start'] })
  const other = key.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
  expect(checkFiles(folder, [file], ['--key', other])).toMatchObject([{ whole: false }])
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const receipt = lines.findIndex((line) => line.includes('"part":"receipt"'))
  const forged = (from: RegExp, to: string): string => {
    const path = join(folder, `forged-${to.length}.jsonl`)
    writeFileSync(path, relinkedText(lines.with(receipt, (lines[receipt] ?? '').replace(from, to))))
    return path
  }
  const files = [forged(/issuedAt\\":\\"2\d{3}/, 'issuedAt\\":\\"1999'), forged(/RunStarted/, 'RunStartled')]
  expect(checkFiles(folder, files, ['--key', key])).toMatchObject(
    files.map(() => ({ whole: false, why: expect.stringContaining('signature') as string })),
  )
})

it('an erased run is whole still, and its blobs may be gone [P-34]', async () => {
  const { folder, file } = await exported()
  const { code, stderr } = await keelson(['erase', 'last', '--reason', 'asked for', '--yes'], folder)
  expect(code, stderr).toBe(0)
  const erased = join(folder, 'erased.jsonl')
  expect((await keelson(['export', 'last', '--out', erased], folder)).code).toBe(0)
  expect(readFileSync(erased, 'utf8').length).toBeLessThan(readFileSync(file, 'utf8').length / 2)
  expect(checkFiles(folder, [erased])).toMatchObject([{ whole: true, status: 'COMPLETED' }])
})

it('the lines of events --json can be checked too, and a changed one is found', async () => {
  const { folder } = await exported()
  const { stdout } = await keelson(['events', 'last', '--json'], folder)
  const path = join(folder, 'events.jsonl')
  writeFileSync(path, stdout)
  expect(checkFiles(folder, [path], ['--events'])).toMatchObject([{ whole: true, status: 'COMPLETED' }])
  const failed = jsonLines(stdout).find(({ eventType }) => eventType === 'StepFailed')
  expect(failed).toMatchObject({
    payload: { error: { statusCode: 503, message: 'no' } },
    data: { errorText: { message: 'no' } },
  })
  writeFileSync(path, stdout.replace('"statusCode":503', '"statusCode":504'))
  expect(checkFiles(folder, [path], ['--events'])).toMatchObject([{ whole: false }])
  writeFileSync(path, stdout.replaceAll('"message":"no"', '"message":"yes"'))
  expect(checkFiles(folder, [path], ['--events'])).toMatchObject([{ whole: false }])
})
