/** Whoever deletes every receipt leaves the store without a witness: the store itself remembers that there was one. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { loadPlan, openKeelson, type Keelson, type OpenOptions } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'

let directory = ''
beforeEach(() => {
  directory = testFolder()
})

const PLAN = loadPlan('{ plan: p, version: 1.0.0, steps: [{ id: a, run: f }] }')
const open = (more: OpenOptions = {}): Promise<Keelson> => openKeelson({ directory, steps: { f: () => 1 }, ...more })

it('verify --store says that all receipts are gone; where none was ever issued it says nothing', async () => {
  {
    await using keelson = await open()
    for (let at = 0; at < 2; at += 1) await (await keelson.start(PLAN)).result()
    expect((await keelson.maintenance.verifyStore()).findings).toEqual([])
    await keelson.maintenance.issueReceipts()
    expect(await keelson.maintenance.verifyStore()).toMatchObject({ findings: [], whole: true })
  }
  rmSync(join(directory, 'receipts'), { recursive: true })
  await using keelson = await open()
  expect(await keelson.maintenance.verifyStore()).toMatchObject({
    whole: false,
    findings: [
      {
        code: 'RECEIPT_MISSING',
        message:
          'receipts were issued about 2 of the runs here at least, and there is none: name the folder they lie in (--receipts)',
      },
    ],
  })
})

it('one receipt of several is deleted: verify --store says which is gone, and needs no key for that', async () => {
  const runs: string[] = []
  {
    await using keelson = await open()
    for (let at = 0; at < 3; at += 1) {
      const run = await keelson.start(PLAN)
      runs.push(run.runId)
      await run.result()
      await keelson.maintenance.issueReceipts()
    }
  }
  const [name = ''] = readdirSync(join(directory, 'receipts'))
  const file = join(directory, 'receipts', name)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  for (const [at, line] of lines.entries()) {
    writeFileSync(file, lines.filter((one) => one !== line).join('\n') + '\n')
    await using keelson = await open()
    const told: unknown[] = []
    const proof = await keelson.maintenance.verifyStore({
      onRun: ({ row, proof: of }) => told.push(...(of?.receipts.findings ?? []).map((one) => [row.runId, one])),
    })
    expect(proof).toMatchObject({ whole: false, broken: [runs[at]], findings: [] })
    expect(told).toEqual(
      [2, 5].map((runSeq) => [
        runs[at],
        {
          code: 'RECEIPT_MISSING',
          runSeq,
          message: `the store says that a receipt about event ${runSeq} was issued, and there is none of a known key: name the folder with all receipts (--receipts)`,
        },
      ]),
    )
  }
  writeFileSync(file, lines.join('\n') + '\n')
  await using keelson = await open()
  expect(await keelson.maintenance.verifyStore()).toMatchObject({ whole: true })
})
