/** Runs that were set aside or archived, as a person meets them; and pipes that close early. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson } from './command.ts'
import { runChild } from '../fixtures/child.ts'
import { changeRawEvent, dropTriggers, keyOfRun } from '../fixtures/raw-log.ts'

const PLAN = 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: fast }\n  - { id: b, run: held }\n'
const STEPS = `import { existsSync } from 'node:fs'
export const fast = () => 'made'
export const held = async (input, { signal }) => {
  while (existsSync('held')) {
    signal.throwIfAborted()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
`
const BIN = join(ROOT, 'bin', 'keelson.js')

beforeAll(ensureBuilt)

function damage(folder: string, runId: string, change: (db: DatabaseSync, runKey: number) => void): void {
  const database = new DatabaseSync(join(folder, '.keelson', 'keelson.db'))
  dropTriggers(database)
  change(database, keyOfRun(database, runId))
  database.close()
}

/** Within the row, as a bad sector would. */
const cut = (db: DatabaseSync): void =>
  db.exec('UPDATE appends SET records = substr(records, 1, 30) WHERE first_seq = 4')

/** A run with five events, killed in its last step. */
async function killedRun(): Promise<{ readonly folder: string; readonly id: string }> {
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS, held: '' })
  const command = new Command(['run', 'p.yaml', '--json'], folder)
  await command.shows(/"stepId":"b"/)
  command.kill('SIGKILL')
  await command.finished
  const [row] = jsonLines((await keelson(['runs', '--json'], folder)).stdout)
  return { folder, id: String(row?.['runId']) }
}

async function endedRun(...more: readonly string[]): Promise<{ readonly folder: string; readonly id: string }> {
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })
  const { stdout } = await keelson(['run', 'p.yaml', '--json', ...more], folder)
  const { result } = jsonLines(stdout).at(-1) as { readonly result: { readonly runId: string } }
  return { folder, id: result.runId }
}

describe('a run that was set aside', () => {
  it.each([
    ['whose event is no JSON', (db) => changeRawEvent(db, 3, (event) => ({ ...event, record: '{' })), 2],
    [
      'whose event has another hash',
      (db) => changeRawEvent(db, 4, (one) => ({ ...one, chainHash: Buffer.alloc(32) })),
      3,
    ],
    ['of which an event is gone', (db) => changeRawEvent(db, 4, () => undefined), 3],
    ['of which an append was cut', cut, 3],
  ] satisfies readonly [string, (db: DatabaseSync) => void, number][])(
    '%s is told by every command with exit code 6, and goes on as a fork',
    async (_what, change, sound) => {
      const { folder, id } = await killedRun()
      damage(folder, id, change)
      const resumed = await keelson(['resume', id], folder)
      expect([resumed.code, resumed.stderr]).toEqual([6, expect.stringContaining(`it is sound up to event ${sound}`)])
      const says = expect.stringMatching(
        new RegExp(
          `^RUN_QUARANTINED  run ${id} was set aside.*keelson fork ${id} --at ${sound}\\n.*keelson export.*backup`,
        ),
      ) as string
      for (const args of [
        ['resume'],
        ['resume', id],
        ['show', id],
        ['why', id],
        ['events', id],
        ['events', id, '--follow'],
        ['signal', id, 'pause'],
        ['signal', id, 'cancel'],
        ['tasks', id],
        ['fork', id],
      ]) {
        const { code, stderr } = await keelson(args, folder)
        expect({ args, code, stderr }).toEqual({ args, code: 6, stderr: says })
      }
      expect((await keelson(['runs'], folder)).stdout).toMatch(/set aside/)
      expect(jsonLines((await keelson(['events', id, '--json'], folder)).stdout)).toHaveLength(sound + 1)
      const exported = await keelson(['export', id, '--out', 'evidence.jsonl'], folder)
      expect([exported.code, existsSync(join(folder, 'evidence.jsonl'))]).toEqual([0, true])
      expect(exported.stderr).toMatch(/does not verify/)
      const forked = new Command(['fork', id, '--at', String(sound)], folder)
      await forked.shows(/b\b/)
      runChild('rm', [join(folder, 'held')])
      expect((await forked.finished).code).toBe(0)
      // Somebody has seen to it.
      const after = await keelson(['resume'], folder)
      expect([after.code, after.stdout]).toEqual([0, expect.stringContaining('nothing to resume')])
    },
  )

  it('does not keep resume from the others, whose ends are told', async () => {
    const { folder, id } = await killedRun()
    const other = new Command(['run', 'p.yaml', '--json'], folder)
    await other.shows(/"stepId":"b"/)
    other.kill('SIGKILL')
    await other.finished
    damage(folder, id, (db, runKey) => changeRawEvent(db, 3, () => undefined, runKey))
    runChild('rm', [join(folder, 'held')])
    const { code, stdout, stderr } = await keelson(['resume'], folder)
    expect(code).toBe(6)
    expect(stderr).toMatch(/RUN_QUARANTINED/)
    expect(stdout).toMatch(/completed/)
  })
})

describe('an archived run', () => {
  it('answers its request id with its end and its bundle, at once [STO-15]', async () => {
    const { folder, id } = await endedRun('--request-id', 'order-17')
    await keelson(['archive', id, '--to', 'shelf'], folder)
    const told = await keelson(['run', 'p.yaml', '--request-id', 'order-17'], folder)
    expect([told.code, told.stdout]).toEqual([0, expect.stringMatching(/ended COMPLETED before[\s\S]*shelf/)])
    const [line] = jsonLines((await keelson(['run', 'p.yaml', '--request-id', 'order-17', '--json'], folder)).stdout)
    expect(line).toMatchObject({ result: { runId: id, status: 'COMPLETED' } })
    const { bundle } = (line as { readonly result: { readonly bundle: string } }).result
    expect((await keelson(['verify', bundle], folder)).code).toBe(0)
    for (const command of ['show', 'why', 'events', 'fork', 'verify'])
      expect((await keelson([command, id], folder)).stderr).toContain(bundle)
  })
})

describe('verify', () => {
  it('finds a status, an end or a count that was changed in the run row', async () => {
    const { folder, id } = await endedRun()
    expect((await keelson(['verify', id], folder)).code).toBe(0)
    for (const [sql, says] of [
      [`status = 'FAILED'`, /row says status FAILED, its log COMPLETED/],
      [`status = 'COMPLETED', ended_at = ended_at + 1000`, /row says endedAt/],
      [`ended_at = ended_at - 1000, steps_failed = 1`, /row says stepsFailed 1, its log 0/],
    ] as const) {
      damage(folder, id, (db) => db.exec(`UPDATE runs SET ${sql}`))
      const { code, stdout } = await keelson(['verify', id], folder)
      expect([code, stdout]).toEqual([1, expect.stringMatching(says)])
      expect(stdout).toMatch(/the log is whole, but the run row was altered/)
    }
  })

  it('says that a key is not the one, not that the log was altered', async () => {
    const { folder, id } = await endedRun()
    const { code, stdout } = await keelson(['verify', id, '--key', 'ab'.repeat(32)], folder)
    expect(code).toBe(1)
    expect(stdout).toMatch(/the key is not the one that signed/)
    expect(stdout).toMatch(/RECEIPT_KEY_MISMATCH/)
    expect(stdout).not.toMatch(/altered/)
  })

  it('keeps its exit code when whoever reads it has seen enough, and so does every command', async () => {
    const { folder, id } = await endedRun()
    const piped = (command: string): number | null =>
      runChild('bash', ['-c', `set -o pipefail; ${process.execPath} ${BIN} ${command} | head -c 1 >/dev/null`], {
        cwd: folder,
      }).status
    expect(piped(`verify ${id}`)).toBe(0)
    expect(piped(`events ${id} --json`)).toBe(0)
    damage(folder, id, (db) => db.exec(`UPDATE runs SET status = 'FAILED'`))
    expect(piped(`verify ${id}`)).toBe(1)
    expect(piped(`verify ${id} --json`)).toBe(1)
    expect(piped('show nosuchrun')).toBe(2)
  })
})
