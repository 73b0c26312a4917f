import { describe, expect, it } from 'vitest'
import { at, buildLog } from '../../../test/fixtures/log-builder.ts'
import { logStore } from '../../../test/fixtures/log-store.ts'
import { started } from '../../../test/fixtures/seen-run.ts'
import { msFromIso } from '../../core/time.ts'
import { journalLines } from './run-journal.ts'
import { runChild } from '../../../test/fixtures/child.ts'

interface Line {
  readonly eventType: string
  readonly runSeq: number
}
async function lines(...args: Parameters<typeof journalLines>): Promise<readonly Line[]> {
  const out: Line[] = []
  for await (const line of journalLines(...args)) out.push(line)
  return out
}

/** Another author's program that exports a log written by a later version of ours. */
const EXPORTER = `
  const at = (path) => import(new URL(path, ${JSON.stringify(import.meta.url)}).href)
  const { buildLog } = await at('../../../test/fixtures/log-builder.ts')
  const { logStore } = await at('../../../test/fixtures/log-store.ts')
  const { journalLines } = await at('./run-journal.ts')
  const log = buildLog()
    .add('RunApproved')
    .addForeign('RunStarted', {
      payload: { ...buildLog().add('RunStarted').records[0].payload, status: 'WARPING', engineType: 'quantum', lane: 7 },
      extra: { region: 'eu', emittedBy: 'oracle' },
    })
    .addForeign('StepTeleported', { stepId: 'a', payload: { to: { deep: [1] } } })
  for await (const line of journalLines(logStore(log.records), 1)) process.stdout.write(JSON.stringify(line) + '\\n')
`

describe('the journal of a run', () => {
  it('is exported whole and in order, over many pages', async () => {
    const log = started()
    for (let i = 0; i < 2500; i += 1) log.add('AlertRaised')
    const found = await lines(logStore(log.records), 1)
    expect(found.map((one) => one.runSeq)).toEqual(log.records.map((one) => one.runSeq))
  })

  it('lets an exporter of a log of a later version end without an error [UIC-08, EVT-27]', () => {
    const run = runChild(process.execPath, ['--input-type=module', '-e', EXPORTER])
    expect(run.stderr).toBe('')
    expect(run.status).toBe(0)
    const types = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as Line).eventType)
    expect(types).toEqual(['RunApproved', 'RunStarted', 'StepTeleported'])
    expect(run.stdout).toContain('quantum')
  })

  it('finds an event of a producer with a wrong clock in the five minutes in which it was stored [EVT-16]', async () => {
    const skewed = buildLog()
      .add('RunApproved', { atMs: 0 })
      .add('RunStarted', { atMs: 3_600_000, persistedAtMs: 60_000 })
      .add('RunCompleted', { atMs: 0, persistedAtMs: 400_000 })
    const fromMs = msFromIso(at(0)) ?? 0
    const found = await lines(logStore(skewed.records), 1, { fromMs, toMs: fromMs + 300_000 })
    expect(found.map((one) => one.eventType)).toEqual(['RunApproved', 'RunStarted'])
  })

  it('ends with the problem at a record that cannot be read', async () => {
    const store = logStore(started().records)
    const damaged = {
      ...store,
      readEvents: async (...args: Parameters<typeof store.readEvents>) =>
        (await store.readEvents(...args)).map((one) => ({ ...one, record: '{' })),
    }
    await expect(lines(damaged, 1)).rejects.toThrow('RUN_QUARANTINED')
  })
})
