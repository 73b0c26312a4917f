/** Maintenance as a program uses it: receipts while it lives and when it closes, and what goes wrong with them. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { receiptBook, receiptsIn, temporaryFolder } from '../../../test/fixtures/receipt-book.ts'
import type { Problem } from '../../core/problems/problem.ts'
import { isWhole } from '../../app/verify/verify-run.ts'
import { loadPlan, openKeelson } from '../../main.ts'

const PLAN = loadPlan('plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f }]\n')
const steps = { f: () => 'done' }

it('with receipts on, every run that has ended when the program closes is anchored', async () => {
  const directory = await temporaryFolder()
  const keelson = await openKeelson({ directory, steps, receipts: true })
  const runs = [await keelson.start(PLAN), await keelson.start(PLAN)]
  for (const run of runs) await run.result()
  await keelson.close()
  const heads = (await receiptsIn(receiptBook(directory))).flatMap(({ body }) => body.heads)
  for (const { runId } of runs)
    expect(new Set(heads.filter((head) => head.runId === runId).map(({ eventType }) => eventType))).toEqual(
      new Set(['RunStarted', 'RunCompleted']),
    )
  await using again = await openKeelson({ directory, steps })
  const proof = await again.maintenance.verify((await again.run(runs[0]?.runId ?? '')).row)
  expect([isWhole(proof), proof.receipts.end]).toEqual([true, 'anchored'])
})

it('receipts that cannot be kept are told and fail nothing', async () => {
  const directory = await temporaryFolder()
  await writeFile(join(directory, 'receipts'), 'not a folder')
  const problems: Problem[] = []
  const keelson = await openKeelson({ directory, steps, receipts: { onProblem: (one) => problems.push(one) } })
  expect(await (await keelson.start(PLAN)).result()).toMatchObject({ status: 'COMPLETED' })
  await keelson.close()
  expect(problems.at(-1)?.code).toBe('RECEIPTS_NOT_ISSUED')
  await rm(join(directory, 'receipts'))
  await using again = await openKeelson({ directory, steps })
  expect(await again.maintenance.issueReceipts()).toBeGreaterThan(0)
})

it('without the option nothing is signed, and a store in memory has no maintenance', async () => {
  const directory = await temporaryFolder()
  const keelson = await openKeelson({ directory, steps })
  await (await keelson.start(PLAN)).result()
  await keelson.close()
  expect(await receiptsIn(receiptBook(directory))).toEqual([])
  await using inMemory = await openKeelson({ directory: ':memory:', steps })
  expect(() => inMemory.maintenance).toThrow(/STORE_NOT_FOUND/)
})
