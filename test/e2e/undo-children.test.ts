/** Finished children are undone on real stores, through real deaths; and what is told of it names what is left to do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, sideLines, until, type Finished } from './command.ts'

/** A compensation named in `stuck.txt` never ends in the first process; one named in `broken.txt` fails. */
const STEPS = `import { appendFileSync, readFileSync } from 'node:fs'
const note = (text) => appendFileSync('side.txt', text + '\\n')
const named = (file, text) => { try { return readFileSync(file, 'utf8').split('\\n').includes(text) } catch { return false } }
export const work = ({ n }, { stepId }) => { note('do ' + stepId); return { n } }
export const undo = async (input, { stepId, itemIndex, engineAttempt, idempotencyKey }) => {
  const name = itemIndex === undefined ? stepId : stepId + '[' + itemIndex + ']'
  note('undo ' + name + ' ' + engineAttempt + ' ' + idempotencyKey)
  if (named('broken.txt', name)) throw new Error(name + ' is closed')
  if (engineAttempt === 1 && named('stuck.txt', name)) await new Promise((resolve) => setTimeout(resolve, 600_000))
}
export const bad = () => { throw Object.assign(new Error('the dock is full'), { code: 'DOCK_FULL' }) }
`
const compensation = 'compensate: { run: undo, retry: { maxAttempts: 1 } }'
const CHILD = `plan: child
version: 1.0.0
steps: [{ id: hold, run: work, with: { n: 1 }, ${compensation} }, { id: book, run: work, with: { n: 2 }, ${compensation} }]
`
const PARENT = `plan: parent
version: 1.0.0
policy: { concurrency: 1, retry: { maxAttempts: 1 } }
steps:
  - { id: nap, wait: { forMs: 5 } }
  - { id: fan, run: work, forEach: "context.list", with: { n: "\${item}" }, ${compensation} }
  - { id: call, plan: { planId: child }, effect: compensatable }
  - { id: ship, run: bad }
context: { list: [1, 2] }
`

let server: PostgresServer
let databases = 0
beforeAll(async () => {
  await ensureBuilt()
  server = await startPostgres()
}, 600_000)
afterAll(() => server.stop())

interface Project {
  readonly folder: string
  call(...args: readonly string[]): Promise<Finished>
  begin(...args: readonly string[]): Command
  events(run: string): Promise<readonly Readonly<Record<string, unknown>>[]>
}

async function project(store: 'sqlite' | 'postgres', files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const folder = folderWith({ 'child.yaml': CHILD, 'parent.yaml': PARENT, 'keelson.steps.mjs': STEPS, ...files })
  const url = store === 'sqlite' ? undefined : await server.createDatabase(`undo_${(databases += 1)}`)
  const variables = { NO_COLOR: '1', ...(url === undefined ? {} : { KEELSON_STORE: url }) }
  const begin = (...args: readonly string[]): Command => new Command(args, folder, '', variables)
  const call = (...args: readonly string[]): Promise<Finished> => begin(...args).finished
  // The child's plan is published by a run of it.
  await call('run', 'child.yaml')
  return { folder, begin, call, events: async (run) => jsonLines((await call('events', run, '--json')).stdout) }
}

const undoRunOf = async ({ call }: Project): Promise<Readonly<Record<string, unknown>>> => {
  const rows = jsonLines((await call('runs', '--json')).stdout)
  return rows.find((row) => row['compensationOf'] !== undefined) ?? {}
}

const undone = (folder: string): readonly string[] =>
  sideLines(folder).flatMap((line) => (line.startsWith('undo ') ? [line.split(' ').slice(1, 3).join(' ')] : []))

describe.each(['sqlite', 'postgres'] as const)('on %s', (store) => {
  it.each(['book', 'fan[1]'])(
    'a process killed while %s is being undone: that compensation alone is repeated, under its key, and says so [CMP-04]',
    async (stuckStep) => {
      const one = await project(store, { 'stuck.txt': stuckStep })
      const { folder, begin, call } = one
      const first = begin('run', 'parent.yaml')
      await until('the compensation is at work', () => undone(folder).includes(`${stuckStep} 1`))
      first.kill('SIGKILL')
      await first.finished
      await call('resume')
      const expected = ['book', 'hold', 'fan[1]', 'fan[0]'].flatMap((name) =>
        name === stuckStep ? [`${name} 1`, `${name} 2`] : [`${name} 1`],
      )
      // A compensation that had not begun when the process died may be a second dispatch by number, but runs once.
      expect(undone(folder).map((line) => line.split(' ')[0])).toEqual(expected.map((line) => line.split(' ')[0]))
      const keys = sideLines(folder).flatMap((line) =>
        line.startsWith(`undo ${stuckStep} `) ? [line.split(' ')[3]] : [],
      )
      expect(new Set(keys).size).toBe(1)
      const undo = await undoRunOf(one)
      expect(undo).toMatchObject({ status: 'COMPLETED', parent: { slot: 'COMP:call', attempt: 1 } })
      const run = stuckStep.startsWith('fan') ? 'last' : String(undo['runId'])
      const told = (await one.events(run)).filter(
        ({ payload }) => (payload as { mayHaveRunTwice?: true }).mayHaveRunTwice,
      )
      expect(told.map(({ eventType }) => eventType)).toEqual(['CompensationCompleted'])
      for (const name of ['last', String(undo['runId'])]) expect((await call('verify', name)).code).toBe(0)
    },
    120_000,
  )
})

describe('what could not be undone', () => {
  it('is named as such by the summary, show, why and fork, and by no one as undone [CMP-06]', async () => {
    const one = await project('sqlite', { 'broken.txt': 'book\nfan[0]' })
    const { call, folder } = one
    const { stdout, code } = await call('run', 'parent.yaml')
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^ {2}undone {5}fan\[1\] \(1 of 3\)\n {2}not undone call, fan\[0\] \(2 of 3\): look at it by hand$/m,
    )
    // A wait has no effect, so it is not among what finished without a way to undo it.
    expect(stdout).not.toContain('without a way to undo')
    const shown = (await call('show', 'last')).stdout
    expect(shown).toMatch(/✖ fan .* 2 items {3}1 of 2 undone {3}1 could not be undone/)
    expect(shown).toMatch(/✖ call .* could not be undone: COMPENSATION_INCOMPLETE/)
    const undo = await undoRunOf(one)
    const compensationId = String(undo['runId']).slice(0, 8)
    const childId = String(undo['compensationOf']).slice(0, 8)
    expect(shown).toContain(`child run  ${childId} of call   not all undone by run ${compensationId}`)
    expect((await call('runs')).stdout).toMatch(
      new RegExp(`^└ ${compensationId} .* COMPENSATION_INCOMPLETE {2}undoes ${childId}`, 'm'),
    )
    expect((await call('show', compensationId)).stdout).toContain(`undoes     what run ${childId} has finished`)
    expect((await call('show', childId)).stdout).toContain(`undoing    not all undone by run ${compensationId}`)
    const why = (await call('why', 'last', 'call')).stdout
    expect(why).toMatch(/^call is done, and could not be undone$/m)
    expect(why).toMatch(new RegExp(`could not be undone by run ${compensationId}: 1 attempt, COMPENSATION_INCOMPLETE`))
    expect((await call('why', 'last', 'fan[0]')).stdout).toMatch(/could not be undone: 1 attempt, HANDLER_FAILED/)
    expect((await call('why', 'last', 'fan[1]')).stdout).toMatch(/what it did was undone/)
    expect(undone(folder)).toHaveLength(4)
    const fork = await call('fork', 'last')
    expect(fork.stderr).toMatch(/1 item of fan could not be undone: .*the new run does it again/)
    expect(fork.stderr).toMatch(/call could not be undone: .*the new run does it again/)
    expect((await call('fork', compensationId)).stderr).toContain('RUN_NOT_FORKABLE')
  })
})
