/** What must last, as an operator does it: receipts, export, archive, erase, backup and restore. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { rewritten } from '../fixtures/rewritten-log.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, linesOf, sideLines, until } from './command.ts'
import { dropTriggers, rawLog, setRawLog } from '../fixtures/raw-log.ts'

const SECRET = 'Ana Almeida'
const STEPS = `import { appendFileSync, existsSync } from 'node:fs'
const note = (text) => appendFileSync('side.txt', text + '\\n')
const gate = async (name) => {
  while (!existsSync(name)) await new Promise((resolve) => setTimeout(resolve, 20))
}
export const good = (input, { stepId }) => (note(stepId), { greeting: 'hello ' + input.who })
export const held = async (input, { stepId, engineAttempt }) => {
  note(stepId + ' ' + engineAttempt)
  if (engineAttempt === 1) await gate('open')
}
`
const PLAN = `plan: p
version: 1.0.0
steps:
  - { id: a, run: good, with: { who: '\${input.who}' } }
  - { id: b, run: good, with: { who: '\${input.who}' } }
`

beforeAll(ensureBuilt)

const database = (folder: string): string => join(folder, '.keelson', 'keelson.db')

async function endedRun(): Promise<{ readonly folder: string; readonly id: string }> {
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })
  const { code, stdout, stderr } = await keelson(['run', 'p.yaml', '--json', '--set', `who=${SECRET}`], folder)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { result } = jsonLines(stdout).at(-1) as { readonly result: { readonly runId: string } }
  return { folder, id: result.runId }
}

/** Drops what protects the log, as somebody with the file in hand can. */
function unprotected(folder: string): DatabaseSync {
  const db = new DatabaseSync(database(folder))
  dropTriggers(db)
  return db
}

/** Changes event 4 and makes a fresh, consistent chain after it, with the run row's head. */
function rewriteLog(folder: string): void {
  const db = unprotected(folder)
  const forged = rewritten(rawLog(db), 4, (record) => ({ ...record, engineAttemptId: 3 }))
  setRawLog(db, forged)
  db.prepare('UPDATE runs SET head_hash = ?').run(forged.at(-1)?.chainHash ?? new Uint8Array(32))
  db.close()
}

describe('receipts', () => {
  it('run issues them, verify counts them, and a log rewritten with a fresh chain is caught by them [P-48]', async () => {
    const { folder, id } = await endedRun()
    const whole = await keelson(['verify', id], folder)
    expect(whole.stdout).toMatch(/^✔ the log is whole[\s\S]*receipts {9}start and end anchored by key [0-9a-f]{16}\n/)
    const key = (await keelson(['receipts', 'key'], folder)).stdout.trim()
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect((await keelson(['verify', id, '--key', key], folder)).code).toBe(0)
    rewriteLog(folder)
    const altered = await keelson(['verify', id], folder)
    expect(altered.code).toBe(1)
    expect(altered.stdout).toMatch(/^✖ the log was altered[\s\S]*RECEIPT_MISMATCH {2}event 7 had the hash/)
    const [report] = jsonLines((await keelson(['verify', id, '--json'], folder)).stdout)
    expect(report).toMatchObject({
      whole: false,
      receipts: { start: 'anchored', end: 'not-anchored', findings: [{ code: 'RECEIPT_MISMATCH', runSeq: 7 }] },
    })
    expect(report).not.toHaveProperty('broken')
    rmSync(join(folder, '.keelson', 'receipts'), { recursive: true })
    expect((await keelson(['verify', id], folder)).stdout).toMatch(
      /^✖ the log is whole, but its decisions do not follow[\s\S]*none that anchors it/,
    )
    expect((await keelson(['verify', id, '--key', key], folder)).stdout).toMatch(/RECEIPT_MISSING/)
  })

  it('that cannot be written do not fail the run, are told, and are made up for', async () => {
    const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })
    await keelson(['run', 'p.yaml'], folder)
    rmSync(join(folder, '.keelson', 'receipts'), { recursive: true })
    writeFileSync(join(folder, '.keelson', 'receipts'), 'not a folder')
    const { code, stderr } = await keelson(['run', 'p.yaml', '--set', 'n=2'], folder)
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^RECEIPTS_NOT_ISSUED /) as string,
    })
    rmSync(join(folder, '.keelson', 'receipts'))
    expect((await keelson(['receipts', 'issue'], folder)).stdout).toMatch(/^✔ signed what 7 events brought/)
    expect((await keelson(['verify', 'last'], folder)).stdout).toMatch(/start and end anchored/)
    expect((await keelson(['receipts', 'issue'], folder)).stdout).toBe('nothing new to sign\n')
  })
})

describe('export and archive', () => {
  it('a bundle is verified without its database; changed or torn it is refused with the line', async () => {
    const { folder, id } = await endedRun()
    const key = (await keelson(['receipts', 'key'], folder)).stdout.trim()
    expect((await keelson(['export', id, '--out', 'run.jsonl'], folder)).code).toBe(0)
    expect((await keelson(['export', id], folder)).stdout).toBe(readFileSync(join(folder, 'run.jsonl'), 'utf8'))
    rmSync(join(folder, '.keelson'), { recursive: true })
    const whole = await keelson(['verify', './run.jsonl', '--key', key], folder)
    expect(whole).toMatchObject({ code: 0, stderr: '' })
    expect(whole.stdout).toMatch(/^✔ the log is whole[\s\S]*start and end anchored/)
    const lines = linesOf(readFileSync(join(folder, 'run.jsonl'), 'utf8'))
    writeFileSync(
      join(folder, 'altered.jsonl'),
      `${lines.with(4, lines[4]?.replace('stepId', 'stepIx') ?? '').join('\n')}\n`,
    )
    writeFileSync(join(folder, 'torn.jsonl'), lines.slice(0, 6).join('\n'))
    expect(await keelson(['verify', 'altered.jsonl'], folder)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^BUNDLE_BROKEN {2}line 5: /) as string,
    })
    expect(await keelson(['verify', 'torn.jsonl'], folder)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^BUNDLE_BROKEN {2}line 7: the file ends too early: it is torn/) as string,
    })
    expect((await keelson(['verify', 'absent.jsonl'], folder)).code).toBe(2)
  })

  it('an archived run leaves a whole bundle and its row; looking at it says so [STO-15]', async () => {
    const { folder, id } = await endedRun()
    const dry = await keelson(['archive', '--older-than', '0s', '--dry-run'], folder)
    expect(dry.stdout).toMatch(/COMPLETED[\s\S]*1 run would be archived; nothing was done/)
    expect((await keelson(['archive'], folder)).stdout).toBe('0 runs archived\n')
    expect((await keelson(['archive', '--older-than', 'soon'], folder)).code).toBe(2)
    const { code, stdout } = await keelson(['archive', '--older-than', '0s', '--json'], folder)
    expect(code).toBe(0)
    const [archived] = jsonLines(stdout)
    expect(archived).toMatchObject({ runId: id, events: 7 })
    expect((await keelson(['verify', String(archived?.['bundle'])], folder)).stdout).toMatch(/start and end anchored/)
    for (const command of ['show', 'events', 'why', 'verify', 'fork', 'archive', 'export']) {
      const answer = await keelson([command, id], folder)
      expect({ command, code: answer.code, stderr: answer.stderr }).toEqual({
        command,
        code: 2,
        stderr: expect.stringMatching(
          /^RUN_ARCHIVED {2}run [0-9a-f-]{36} ended COMPLETED and was archived on 20/,
        ) as string,
      })
    }
    expect((await keelson(['runs'], folder)).stdout).toMatch(/COMPLETED.*archived/)
    expect(jsonLines((await keelson(['run', 'p.yaml', '--json'], folder)).stdout).at(-1)).toMatchObject({
      result: { status: 'COMPLETED' },
    })
  })
})

describe('erase', () => {
  it('deletes what may be personal, records it, and leaves a log that verifies [P-34]', async () => {
    const { folder, id } = await endedRun()
    expect(jsonLines((await keelson(['events', id, '--json'], folder)).stdout).some(mentions(SECRET))).toBe(true)
    expect((await keelson(['erase', id, '--reason', 'request 4711'], folder)).code).toBe(2)
    expect((await keelson(['erase', id, '--yes'], folder)).code).toBe(2)
    const erased = await keelson(['erase', id, '--reason', 'request 4711', '--yes', '--json'], folder)
    expect(jsonLines(erased.stdout)).toEqual([{ runId: id, erasedUpTo: 7, recorded: true }])
    const events = jsonLines((await keelson(['events', id, '--json'], folder)).stdout)
    expect(events.some(mentions(SECRET))).toBe(false)
    expect(events.at(-1)).toMatchObject({ eventType: 'ErasureRecorded', payload: { reason: 'request 4711' } })
    expect(await keelson(['verify', id], folder)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/data of \d events was erased, as recorded[\s\S]*start and end anchored/) as string,
    })
    const again = await keelson(['erase', id, '--reason', 'again', '--yes', '--json'], folder)
    expect(jsonLines(again.stdout)).toEqual([{ runId: id, erasedUpTo: 7, recorded: false }])
  })

  it('refuses a run that has not ended [P-34]', async () => {
    const folder = folderWith({ 'p.yaml': `${PLAN}  - { id: c, run: held }\n`, 'keelson.steps.mjs': STEPS })
    const running = new Command(['run', 'p.yaml'], folder)
    await until('it is in step c', () => sideLines(folder).includes('c 1'))
    const answer = await keelson(['erase', 'last', '--reason', 'x', '--yes'], folder)
    expect(answer).toMatchObject({ code: 1, stderr: expect.stringMatching(/^RUN_NOT_TERMINAL/) as string })
    writeFileSync(join(folder, 'open'), '')
    expect((await running.finished).code).toBe(0)
  })
})

const mentions =
  (text: string) =>
  (value: unknown): boolean =>
    JSON.stringify(value).includes(text)

describe('backup and restore', () => {
  const RISKY = `plan: risky
version: 1.0.0
steps:
  - { id: pay, run: held, effect: irreversible, dependsOn: [] }
  - { id: mail, run: held, dependsOn: [] }
`

  it('a run backed up in the middle of an irreversible step is held after the restore; the rest goes on [P-28]', async () => {
    const folder = folderWith({ 'p.yaml': RISKY, 'keelson.steps.mjs': STEPS })
    const running = new Command(['run', 'p.yaml'], folder)
    await until('both steps have begun', () => sideLines(folder).length === 2)
    expect((await keelson(['backup', 'b.db'], folder)).stdout).toMatch(/^✔ backed up {3}b\.db, \d+ KiB\n/)
    expect((await keelson(['backup', 'b.db'], folder)).code).not.toBe(0)
    expect((await keelson(['restore', 'b.db', '--force'], folder)).stderr).toMatch(/^RESTORE_REFUSED .*living process/)
    running.kill('SIGKILL')
    await running.finished
    const db = new DatabaseSync(join(folder, 'b.db'))
    db.exec('DELETE FROM step_claims')
    db.close()
    expect((await keelson(['restore', 'b.db'], folder)).stderr).toMatch(
      /^RESTORE_REFUSED {2}there is already a database/,
    )
    const restored = await keelson(['restore', 'b.db', '--force', '--json'], folder)
    const [answer] = jsonLines(restored.stdout)
    expect(answer).toMatchObject({
      live: 1,
      inFlight: [expect.any(String)],
      indeterminate: [{ slot: 'pay', attempt: 1 }],
    })
    expect(existsSync(join(folder, String(answer?.['keptAt'])))).toBe(true)
    const resumed = await keelson(['resume', '--json'], folder)
    expect(resumed.code).toBe(4)
    expect(sideLines(folder).filter((line) => line.startsWith('pay'))).toEqual(['pay 1'])
    expect(sideLines(folder).some((line) => /^mail [2-9]$/.test(line))).toBe(true)
    expect((await keelson(['show', 'last'], folder)).stdout).toMatch(/INDETERMINATE/)
    expect((await keelson(['verify', 'last'], folder)).code).toBe(0)
  })

  it('what ran to its end after the backup may end otherwise after the restore, and its receipts do not accuse it', async () => {
    const folder = folderWith({
      'p.yaml': 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: c, run: held }\n  - { id: d, run: good }\n',
      'keelson.steps.mjs': STEPS,
    })
    const running = new Command(['run', 'p.yaml'], folder)
    await until('the step has begun', () => sideLines(folder).includes('c 1'))
    await keelson(['backup', 'b.db'], folder)
    writeFileSync(join(folder, 'open'), '')
    expect((await running.finished).code).toBe(0)
    expect((await keelson(['verify', 'last'], folder)).stdout).toMatch(/start and end anchored/)
    expect((await keelson(['restore', 'b.db', '--force'], folder)).stdout).toMatch(/1 run not ended, 1 with work/)
    expect((await keelson(['verify', 'last'], folder)).stdout).toMatch(/^✔ .*[\s\S]*1 taken back by a restore/)
    expect((await keelson(['resume'], folder)).code).toBe(0)
    const after = await keelson(['verify', 'last'], folder)
    expect(after.code).toBe(0)
    expect(after.stdout).toMatch(/start and end anchored.*1 taken back by a restore/)
  })

  it('a backup goes into an empty place with all it held; what is no backup is refused and nothing is left', async () => {
    const { folder, id } = await endedRun()
    const before = (await keelson(['show', id, '--json'], folder)).stdout
    await keelson(['backup', 'b.db'], folder)
    expect((await keelson(['restore', 'b.db', '--dir', 'elsewhere'], folder)).code).toBe(0)
    expect((await keelson(['show', id, '--json', '--dir', 'elsewhere'], folder)).stdout).toBe(before)
    writeFileSync(join(folder, 'no.db'), 'this is not a database'.repeat(100))
    expect((await keelson(['restore', 'no.db', '--dir', 'third'], folder)).code).toBe(6)
    expect(existsSync(join(folder, 'third'))).toBe(false)
    expect((await keelson(['restore', 'none.db'], folder)).code).toBe(2)
  })
})
