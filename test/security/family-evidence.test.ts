/** Evidence that lies about a family: a child runs another plan, is another's, or is gone, and each log by itself is sound. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { childRunId } from '../../src/app/log/derived-uuid.ts'
import { loadPlan, openKeelson, type CheckedRun, type StoreProof } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'

const CHILD = loadPlan('plan: child\nversion: 1.0.0\nsteps: [{ id: a, run: f }]')
const OTHER = loadPlan('plan: child\nversion: 2.0.0\nsteps: [{ id: a, run: f }]')
const PARENT = loadPlan('plan: parent\nversion: 1.0.0\nsteps: [{ id: c, plan: { planId: child } }]')
const PINNED = loadPlan(
  `plan: pinned\nversion: 1.0.0\nsteps: [{ id: c, forEach: "[\`1\`, \`2\`]", plan: { planId: child, sha256: "${CHILD.sha256}" } }]`,
)

let directory = ''
beforeEach(() => {
  directory = testFolder()
})

const open = () => openKeelson({ directory, steps: { f: () => 1 } })

/** As somebody with the file in hand: triggers away, the change, triggers back. */
function attack(change: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(join(directory, 'keelson.db'))
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER "${String(name)}"`)
  change(db)
  for (const { sql } of triggers) db.exec(String(sql))
  db.close()
}

async function verified(): Promise<{ readonly proof: StoreProof; readonly told: readonly string[] }> {
  await using keelson = await openKeelson({ directory, readOnly: true, adopt: false })
  const told: string[] = []
  const onRun = ({ findings }: CheckedRun): void =>
    void told.push(...findings.map(({ code, message }) => `${code} ${message}`))
  return { proof: await keelson.maintenance.verifyStore({ onRun }), told }
}

describe('a run and its child', () => {
  it('that tell one story are whole, also in lists and with pins of the plan itself', async () => {
    await using keelson = await open()
    await keelson.publish(CHILD)
    for (const plan of [PARENT, PINNED]) expect((await (await keelson.start(plan)).result()).status).toBe('COMPLETED')
    await keelson.close()
    const { proof, told } = await verified()
    expect([proof.whole, proof.runs, told]).toEqual([true, 5, []])
  })

  it('whose row names another plan than its parent was pinned to are found by the parent, too', async () => {
    const keelson = await open()
    await keelson.publish(CHILD)
    const run = await keelson.start(PARENT)
    const impostor = childRunId(run.runId, 'c', 1)
    await run.result()
    await keelson.close()
    attack((db) => {
      db.prepare('UPDATE runs SET plan_sha256 = ?, plan_version = ? WHERE run_id = ?').run(
        OTHER.sha256,
        '2.0.0',
        impostor,
      )
    })
    const { told } = await verified()
    expect(told).toContain(
      `ROW_ALTERED child run ${impostor} of 'c' runs the plan ${OTHER.sha256}; its parent was pinned to ${CHILD.sha256}`,
    )
  })

  it('that is said to be the child of another attempt, or of another run, is found on both sides', async () => {
    const keelson = await open()
    await keelson.publish(CHILD)
    const run = await keelson.start(PARENT)
    await run.result()
    await keelson.close()
    const child = childRunId(run.runId, 'c', 1)
    attack((db) => db.prepare('UPDATE runs SET parent_attempt = 2 WHERE run_id = ?').run(child))
    const { told } = await verified()
    expect(told).toContain(`ROW_ALTERED run ${child} is not the child of attempt 2 of 'c' of run ${run.runId}`)
    expect(told).toContain(`ROW_ALTERED child run ${child} of 'c' names another parent`)
  })

  it('that was deleted whole is missed by its parent, and a parent that was deleted by its child', async () => {
    for (const victim of ['child', 'parent'] as const) {
      directory = testFolder()
      const keelson = await open()
      await keelson.publish(CHILD)
      const run = await keelson.start(PARENT)
      await run.result()
      await keelson.close()
      const child = childRunId(run.runId, 'c', 1)
      attack((db) => {
        const { run_key } = db
          .prepare('SELECT run_key FROM runs WHERE run_id = ?')
          .get(victim === 'child' ? child : run.runId) as {
          run_key: number
        }
        const tables = db
          .prepare(
            "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'run_key' WHERE m.type = 'table'",
          )
          .all()
        for (const { name } of tables) db.prepare(`DELETE FROM "${String(name)}" WHERE run_key = ?`).run(run_key)
      })
      const { told } = await verified()
      expect(told).toEqual([
        victim === 'child'
          ? `RUN_MISSING child run ${child} of 'c' is not here`
          : `RUN_MISSING run ${run.runId}, whose child run ${child} is, is not here`,
      ])
    }
  })
})
