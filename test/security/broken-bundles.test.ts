/** Bundles, backups and notes as an adversary or a bad disk hands them over: each is judged, and none is our own mistake. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canonicalText } from '../../src/app/log/canonical.ts'
import { linkOf } from '../../src/app/log/run-bundle.ts'
import { problemsOf } from '../../src/edge/cli/output/problems.ts'
import { loadPlan, openKeelson, restoreKeelson, verifyBundleFile } from '../../src/main.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { folderWith, jsonLines, keelson } from '../e2e/command.ts'
import { isFull } from '../setup/extent.ts'
import { randomSource } from '../fuzz/random-source.ts'
import { SEED } from '../setup/seed.ts'

let folder = ''
let good = ''
beforeAll(async () => {
  await ensureBuilt()
  folder = mkdtempSync(join(tmpdir(), 'keelson-bundle-'))
  await using open = await openKeelson({
    directory: join(folder, 'state'),
    steps: { big: () => 'x'.repeat(70_000) },
  })
  const plan = loadPlan('plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: big }, { id: b, run: big }]\n')
  const run = await open.start(plan, { text: 'é' })
  await run.result()
  await open.maintenance.issueReceipts()
  const lines: string[] = []
  for await (const line of open.maintenance.bundle((await open.run(run.runId)).row)) lines.push(line)
  good = `${lines.join('\n')}\n`
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The code it is refused with, or that it was judged whole or not. */
async function judged(bytes: string | Uint8Array): Promise<string> {
  const file = join(folder, 'bundle.jsonl')
  writeFileSync(file, bytes)
  try {
    const { chain, receipts, decisions } = await verifyBundleFile(file)
    const isWhole = chain.broken === undefined && receipts.findings.length === 0 && decisions.follows
    return isWhole ? 'fine' : 'findings'
  } catch (thrown) {
    return problemsOf(thrown)[0].code
  }
}

const FINE = new Set(['fine', 'findings', 'BUNDLE_BROKEN'])

type Line = { readonly part: string; readonly body: Record<string, unknown> }

const linesOf = (): Line[] =>
  good
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as Line)

/** As somebody would who knows how lines are linked: the links fit again. */
function relinked(lines: readonly Line[]): string {
  let link = ''
  return lines
    .map(({ part, body }) => {
      link = linkOf(link, part, body)
      return `${canonicalText({ body, link, part })}\n`
    })
    .join('')
}

const deep = (levels: number): unknown => {
  let value: unknown = 1
  for (let at = 0; at < levels; at++) value = [value]
  return value
}
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  '',
  'x',
  '\u0000',
  '../../../etc/passwd',
  [],
  [null],
  {},
  { length: 3 },
  deep(500),
  '__proto__',
  'f'.repeat(64),
  { toString: 1 },
  '9'.repeat(400),
]

describe('a bundle that is not one', () => {
  it.each([
    ['empty', ''],
    ['a line feed', '\n'],
    ['text', 'hello'],
    ['null', 'null\n'],
    ['a list', '[]\n'],
    ['JSON without an end', '{"part":'],
    ['gzip', gzipSync('x')],
    ['zeros', new Uint8Array(4096)],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x0a])],
    ['deep JSON', `{"part":"run","link":"x","body":${'['.repeat(50_000)}${']'.repeat(50_000)}}\n`],
    ['half a character', '{"part":"run","link":"x","body":{"a":"\\ud800"}}\n'],
    ['a byte order mark', '\ufeff{}'],
  ])('%s is BUNDLE_BROKEN', async (_name, bytes) => {
    expect(await judged(bytes)).toBe('BUNDLE_BROKEN')
  })

  it('a good one is fine, and so is the file the command writes to a pipe', async () => {
    expect(await judged(good)).toBe('fine')
    expect(await judged(relinked(linesOf()))).toBe('fine')
  })

  it('a folder and a file that cannot be read say that, and not that something is broken', async () => {
    const place = folderWith({ 'secret.jsonl': good })
    mkdirSync(join(place, 'folder.jsonl'))
    chmodSync(join(place, 'secret.jsonl'), 0o000)
    const code = async (file: string): Promise<unknown> => {
      const { stdout } = await keelson(['verify', file, '--json'], place)
      return (jsonLines(stdout)[0]?.['problems'] as readonly { code: string }[] | undefined)?.[0]?.code
    }
    expect(await code('./folder.jsonl')).toBe('FILE_UNUSABLE')
    expect(await code('./nothing.jsonl')).toBe('FILE_NOT_FOUND')
    if (process.getuid?.() !== 0) expect(await code('./secret.jsonl')).toBe('FILE_UNUSABLE')
  })
})

describe('a bundle that was altered by somebody who knows its links', () => {
  it('every field of every line, with every wrong value, left out or said twice', async () => {
    const found: string[] = []
    for (const [at, line] of linesOf().entries()) {
      const changes = Object.keys(line.body).flatMap((name) => [
        ...VALUES.map((value) => ({ ...line.body, [name]: value })),
        Object.fromEntries(Object.entries(line.body).filter(([key]) => key !== name)),
      ])
      for (const body of [...changes, {}, ...VALUES]) {
        const lines = linesOf().with(at, { part: line.part, body: body as Line['body'] })
        const outcome = await judged(relinked(lines))
        if (!FINE.has(outcome)) found.push(`${line.part} ${JSON.stringify(body).slice(0, 200)}: ${outcome}`)
      }
    }
    expect(found).toEqual([])
  })

  it('a field that is said twice, or a blank: only one writing of a value counts', async () => {
    const whole = relinked(linesOf())
    expect(await judged(whole)).toBe('fine')
    const lie = '"body":{"status":"FAILED","triggeredBy":"eve"},'
    for (const altered of [
      whole.replace('{"body":', `{${lie}"body":`),
      whole.replace('{"body":', '{"__proto__":{},"body":'),
      whole.replace('{"body":', '{ "body":'),
      ` ${whole}`,
    ])
      expect(await judged(altered)).toBe('BUNDLE_BROKEN')
  })

  it('a line that is missing, doubled or in another place', async () => {
    const all = linesOf()
    for (let at = 0; at < all.length; at++) {
      const line = all[at] as Line
      for (const lines of [all.toSpliced(at, 1), all.toSpliced(at, 0, line), [line, ...all.toSpliced(at, 1)]])
        expect(FINE).toContain(await judged(relinked(lines)))
    }
    const second = all.findIndex(({ part }) => part === 'plan')
    expect(await judged(relinked(all.toSpliced(1, 0, all[0] as Line)))).toBe('BUNDLE_BROKEN')
    expect(await judged(relinked(all.toSpliced(second, 0, all[second] as Line)))).toBe('BUNDLE_BROKEN')
  })

  it(`random bytes changed, cut and put in (KEELSON_SEED=${SEED})`, async () => {
    const { below: next } = randomSource(SEED)
    const bytes = Buffer.from(good)
    for (let round = 0; round < 400; round++) {
      let mutant = Buffer.from(bytes)
      for (let times = 1 + next(3); times > 0; times--) {
        const at = next(mutant.length)
        const kind = next(4)
        if (kind === 0) mutant[at] = next(256)
        else if (kind === 1) mutant = mutant.subarray(0, at + 1)
        else if (kind === 2)
          mutant = Buffer.concat([mutant.subarray(0, at), Buffer.from([next(256)]), mutant.subarray(at)])
        else mutant = Buffer.concat([mutant.subarray(0, at), mutant.subarray(Math.min(mutant.length, at + next(200)))])
        if (mutant.length === 0) break
      }
      expect([round, FINE.has(await judged(mutant))]).toEqual([round, true])
    }
  })
})

describe('other files from outside', () => {
  it('a backup that is none is refused by its code, and the database stays', async () => {
    const place = folderWith({ 'none.db': 'hello', 'empty.db': '', 'zeros.db': '\0'.repeat(8192) })
    const database = readFileSync(join(folder, 'state', 'keelson.db'))
    writeFileSync(join(place, 'cut.db'), database.subarray(0, Math.floor(database.length / 2)))
    const header = Buffer.from(database)
    header.fill(0xff, 100, 4096)
    writeFileSync(join(place, 'torn.db'), header)
    mkdirSync(join(place, 'folder.db'))
    const codes: Record<string, string> = {}
    for (const name of ['none', 'empty', 'zeros', 'cut', 'torn', 'folder', 'missing'])
      try {
        await restoreKeelson({ file: join(place, `${name}.db`), directory: join(place, `state-${name}`) })
        codes[name] = 'restored'
      } catch (thrown) {
        codes[name] = problemsOf(thrown)[0].code
      }
    expect(Object.entries(codes).filter(([, code]) => code === 'INTERNAL' || code === 'restored')).toEqual([])
  })

  it('notes, receipts and keys that somebody wrote over are never our own mistake', { timeout: 300_000 }, async () => {
    const place = folderWith({ 'p.yaml': 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, wait: { forMs: 1 } }]\n' })
    expect((await keelson(['run', 'p.yaml'], place)).code).toBe(0)
    const state = join(place, '.keelson')
    const files = readdirSync(state, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(?:json|jsonl)$/.test(name),
    )
    expect(files.some((name) => name.startsWith('sources'))).toBe(true)
    const garbage = [
      '',
      'null',
      '{"plan":5,"steps":[],"allow":"x"}',
      '{"body":{"receipt":"keelson-1","kind":"heads","heads":[null]},"signature":""}',
    ]
    const commands = [
      ['verify', 'last'],
      ['show', 'last'],
      ['doctor'],
      ['receipts', 'key'],
      ['receipts', 'issue'],
      ['fork', 'last'],
      ['run', 'p.yaml'],
      ['resume'],
    ]
    for (const [at, text] of [...garbage, '\u001b'.repeat(9)].entries()) {
      for (const name of files) writeFileSync(join(state, name), text)
      // By default each command meets two or three of the texts, and each text half of the commands.
      for (const args of commands.filter((_, index) => isFull || (index + at) % 2 === 0)) {
        const { stdout, stderr } = await keelson([...args, '--json'], place)
        expect([args, text, /"code":"INTERNAL"|INTERNAL {2}/.test(stdout + stderr)]).toEqual([args, text, false])
      }
    }
  })
})
