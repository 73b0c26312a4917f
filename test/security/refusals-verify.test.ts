/**
 * A signal that the run's own rules refuse is no trace of tampering: `verify` holds the answer in the log against the inbox row that
 * asked, whoever said no, and finds every row that was really changed.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { isWhole } from '../../src/app/verify/verify-run.ts'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'

const PLAN = loadPlan(
  '{ plan: pay, version: 1.0.0, steps: [{ id: release, manual: { title: Release it, rule: MakerChecker } }, { id: f, run: f }] }',
)

async function waiting(): Promise<{ readonly keelson: Keelson; readonly run: RunHandle; readonly file: string }> {
  const directory = testFolder()
  const keelson = await openKeelson({ steps: { f: () => 1 }, directory })
  const run = await keelson.start(PLAN, {}, { actorId: 'ana' })
  return { keelson, run, file: join(directory, 'keelson.db') }
}

/** Past the front door, which would have refused it: a program of another version, or one that writes rows itself. */
function leave(file: string, runKey: number, signalType: string, payload: object): string {
  const signalId = randomUUID()
  const authorization = { allowed: true, policyDecisionId: randomUUID(), actorId: 'eve', actorRole: 'Admin' }
  const body = JSON.stringify({ signalId, signalType, payload, authorization })
  const db = new DatabaseSync(file)
  db.prepare('INSERT INTO run_inbox (run_key, inbox_id, kind, body, inserted_at) VALUES (?, ?, ?, ?, ?)').run(
    runKey,
    `signal:${signalId}`,
    'signal',
    body,
    Date.now(),
  )
  db.close()
  return signalId
}

const refusalsOf = async (run: RunHandle): Promise<readonly unknown[]> =>
  (await run.records()).flatMap(({ eventType, payload }) =>
    eventType === 'SignalRejected' ? [payload?.['reasonCode']] : [],
  )

describe('a signal that the rules of the run refuse', () => {
  it('by a person who is not named leaves a run that verifies [MAN-08]', async () => {
    const { keelson, run } = await waiting()
    await expect(run.signal('UPDATE_PARAMS', { params: { n: 1 }, reason: 'a mistake' })).rejects.toThrow(
      'PERSON_NOT_NAMED',
    )
    const proof = await keelson.maintenance.verify(run.row)
    expect([await refusalsOf(run), proof.findings ?? [], isWhole(proof)]).toEqual([['PERSON_NOT_NAMED'], [], true])
    await keelson.close()
  })

  it.each([
    ['EXPLODE', {}, 'SIGNAL_INVALID_PAYLOAD'],
    ['UPDATE_PARAMS', { params: { n: 1 } }, 'AUTHZ_REASON_REQUIRED'],
  ])('that came past the front door (%s) leaves a run that verifies', async (signalType, payload, code) => {
    const { keelson, run, file } = await waiting()
    leave(file, run.row.runKey, signalType, payload)
    await run.pause('look at the inbox')
    const proof = await keelson.maintenance.verify(run.row)
    expect([await refusalsOf(run), proof.findings ?? [], isWhole(proof)]).toEqual([[code], [], true])
    await keelson.close()
  })

  it('and whose row is changed afterwards is found all the same', async () => {
    const { keelson, run, file } = await waiting()
    const signalId = leave(file, run.row.runKey, 'UPDATE_PARAMS', { params: { n: 1 } })
    await run.pause('look at the inbox')
    const db = new DatabaseSync(file)
    db.prepare('UPDATE run_inbox SET body = replace(body, ?, ?) WHERE inbox_id = ?').run(
      'eve',
      'bob',
      `signal:${signalId}`,
    )
    db.close()
    const proof = await keelson.maintenance.verify(run.row)
    expect(proof.findings?.map(({ code }) => code)).toEqual(['ROW_ALTERED'])
    await keelson.close()
  })
})
