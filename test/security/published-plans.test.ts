/** What a name of a plan leads to lies in rows of the store: somebody with SQL access deletes, exchanges or adds one. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadPlan, openKeelson, restoreKeelson, type Keelson } from '../../src/main.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keelson-published-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const kid = (version: string, n = 1) =>
  loadPlan(`{ plan: kid, version: ${version}, steps: [{ id: a, run: f, with: { n: ${n} } }] }`)
const PARENT = loadPlan('{ plan: parent, version: 1.0.0, steps: [{ id: k, plan: { planId: kid } }] }')

const open = (): Promise<Keelson> => openKeelson({ directory, steps: { f: () => 1 } })
const statements = (): string => join(directory, 'receipts', 'published.jsonl')

/** Two versions, the second replaced once, each signed in a statement of its own. */
async function published(): Promise<void> {
  await using keelson = await open()
  for (const [plan, replaceVersion] of [
    [kid('1.0.0'), false],
    [kid('2.0.0'), false],
    [kid('2.0.0', 2), true],
  ] as const) {
    await keelson.publish(plan, { replaceVersion })
    await keelson.maintenance.issueReceipts()
  }
  expect(await keelson.maintenance.verifyStore()).toMatchObject({ findings: [], whole: true })
}

function sql(text: string): void {
  const db = new DatabaseSync(join(directory, 'keelson.db'))
  db.exec(text)
  db.close()
}

async function findings(): Promise<readonly string[]> {
  await using keelson = await open()
  const proof = await keelson.maintenance.verifyStore()
  expect(proof.whole).toBe(proof.findings.length === 0)
  return proof.findings.map(({ code, message }) => `${code} ${message}`)
}

it('a publication that replaced another is deleted, so that the name leads back: verify --store says which is gone', async () => {
  await published()
  sql('DELETE FROM plan_publications WHERE publication_pos = 3')
  expect(await findings()).toEqual([
    expect.stringMatching(
      /^ROW_ALTERED kid 2\.0\.0 was published as [0-9a-f]{64}, says a statement signed at .*; that row \(publication 3\) is gone$/,
    ),
  ])
})

it('two publications exchange their places, so that an id leads to the older version: both are found', async () => {
  await published()
  sql(`UPDATE plan_publications SET publication_pos = -1 WHERE publication_pos = 1;
    UPDATE plan_publications SET publication_pos = 1 WHERE publication_pos = 3;
    UPDATE plan_publications SET publication_pos = 3 WHERE publication_pos = -1`)
  const found = await findings()
  expect(found).toHaveLength(2)
  expect(found[0]).toContain('; the row (publication 1) says kid 2.0.0')
  expect(found[1]).toContain('; the row (publication 3) says kid 1.0.0')
})

it('a row that was changed is not signed again with the next receipts', async () => {
  await published()
  sql('DELETE FROM plan_publications WHERE publication_pos = 2')
  {
    await using keelson = await open()
    await keelson.publish(loadPlan('{ plan: other, version: 1.0.0, steps: [{ id: a, run: f }] }'))
    await keelson.maintenance.issueReceipts()
  }
  expect((await findings()).filter((one) => one.includes('(publication 2) is gone'))).toHaveLength(1)
})

it('a statement is taken from between others, or written by somebody else: both show', async () => {
  await published()
  const [first = '', second = '', third = ''] = readFileSync(statements(), 'utf8').split('\n')
  writeFileSync(statements(), `${first}\n${third}\n`)
  expect(await findings()).toEqual(['RECEIPT_MISSING statement 2 about published plans is gone; the last one is 3'])
  writeFileSync(statements(), `${first}\n${second.replace('kid', 'kit')}\n${third}\n`)
  expect(await findings()).toEqual([
    'RECEIPT_INVALID statement 2 about published plans was not signed by a key of this store',
  ])
})

it('somebody adds a statement with a number beyond all bounds: it is told, and nothing is counted up to it', async () => {
  await published()
  const whole = readFileSync(statements(), 'utf8')
  const forged = (number: number): string =>
    `${JSON.stringify({ ...body(whole), body: { ...body(whole).body, number } })}\n`
  writeFileSync(statements(), whole + forged(9_007_199_254_740_991))
  expect(await findings()).toEqual([
    'RECEIPT_INVALID statement 9007199254740991 about published plans was not signed by a key of this store',
  ])
  {
    await using keelson = await open()
    await keelson.publish(kid('5.0.0'))
    await keelson.maintenance.issueReceipts()
  }
  expect(body(readFileSync(statements(), 'utf8')).body.number).toBe(4)
})

function body(text: string): { readonly body: { readonly number: number } } {
  return JSON.parse(text.trim().split('\n').at(-1) ?? '') as ReturnType<typeof body>
}

it('without any statement, a run that was pinned to a plan by its name still tells that the plan was published', async () => {
  {
    await using keelson = await open()
    await keelson.publish(kid('1.0.0'))
    await (await keelson.start(PARENT)).result()
  }
  expect(existsSync(statements())).toBe(false)
  sql('DELETE FROM plan_publications')
  await using keelson = await open()
  const told: unknown[] = []
  const proof = await keelson.maintenance.verifyStore({ onRun: ({ findings: of }) => told.push(...of) })
  expect(proof.whole).toBe(false)
  expect(told).toMatchObject([
    {
      code: 'ROW_ALTERED',
      message: expect.stringMatching(
        /^the run was admitted with kid, which led to [0-9a-f]{64}: nothing is published as kid 1\.0\.0 now$/,
      ),
    },
  ])
})

it('a plan that runs itself, and a child that runs its parent, need no publication', async () => {
  const again = loadPlan(`plan: again
version: 1.0.0
steps: [{ id: k, plan: { planId: between }, if: input.deep }]`)
  const between = loadPlan(`plan: between
version: 1.0.0
steps: [{ id: k, plan: { planId: again }, with: { deep: false } }]`)
  {
    await using keelson = await open()
    await keelson.publish(between)
    await (await keelson.start(again, { deep: true })).result()
  }
  expect(await findings()).toEqual([])
})

it('a restore takes back what was published after the backup, and what is published then is signed anew', async () => {
  await published()
  const file = join(directory, 'backup.db')
  {
    await using keelson = await open()
    await keelson.maintenance.backup(file)
    await keelson.publish(kid('3.0.0'))
    await keelson.maintenance.issueReceipts()
  }
  await restoreKeelson({ file, directory, force: true })
  expect(await findings()).toEqual([])
  {
    await using keelson = await open()
    await keelson.publish(kid('4.0.0'))
    await keelson.maintenance.issueReceipts()
  }
  expect(await findings()).toEqual([])
  sql('DELETE FROM plan_publications WHERE publication_pos = 4')
  expect(await findings()).toEqual([expect.stringContaining('kid 4.0.0 was published as')])
})
