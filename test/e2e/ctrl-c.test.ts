/** Ctrl-C and cancel, typed in a terminal: what is left, what goes on, what is undone, and what the screen says of it. */
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson, sideLines, until } from './command.ts'
import { CTRL_C, TypedTerminal, type Seen } from './typed-terminal.ts'

const PLAN = `plan: order
version: 1.0.0
steps:
  - { id: reserve, run: quick, compensate: { run: back } }
  - { id: charge, run: slow, compensate: { run: back } }
  - { id: ship, run: slow }
`
/** `slow` ends a while after it was asked to stop, or when the file `go` is there. */
const STEPS = `import { appendFileSync, existsSync } from 'node:fs'
const note = (text) => appendFileSync('side.txt', text + '\\n')
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
export const quick = (input, { stepId }) => note(stepId)
export const back = (input, { stepId }) => note('undo ' + stepId)
export const slow = async (input, { stepId }) => {
  note(stepId)
  while (!existsSync('go')) await sleep(20)
  note(stepId + ' done')
  return stepId
}
`
const project = (steps = STEPS): string => folderWith({ 'plan.yaml': PLAN, 'keelson.steps.mjs': steps })
const soon = STEPS.replace("while (!existsSync('go')) await sleep(20)", 'await sleep(1500)')

beforeAll(ensureBuilt)

async function typesOf(folder: string): Promise<readonly unknown[]> {
  return jsonLines((await keelson(['events', 'last', '--json'], folder)).stdout).map((one) => one['eventType'])
}

async function interrupted(folder: string, more: (terminal: TypedTerminal) => Promise<void>): Promise<Seen> {
  const terminal = new TypedTerminal(['run', 'plan.yaml'], folder, 80)
  await until('charge has begun', () => sideLines(folder).includes('charge'))
  await terminal.shows(/Ctrl-C leaves it for later, twice cancels/)
  terminal.type(CTRL_C)
  await more(terminal)
  return terminal.finished
}

describe('Ctrl-C in a terminal', () => {
  it('once: nothing new starts, what runs ends and is recorded, exit code 4, and `resume` goes on without repeating it', async () => {
    const folder = project(soon)
    const { code, screen } = await interrupted(folder, async () => undefined)
    expect(screen).toMatch(
      /✔ charge[\s\S]*· ship[\s\S]*… run [0-9a-f]{8} is left as it is\n {2}go on +keelson resume [0-9a-f]{8}\n {2}give up +keelson cancel [0-9a-f]{8}/,
    )
    expect({ code, side: sideLines(folder) }).toEqual({ code: 4, side: ['reserve', 'charge', 'charge done'] })
    expect(await typesOf(folder)).toEqual(expect.arrayContaining(['RunPaused']))
    const resumed = await keelson(['resume'], folder)
    expect({ code: resumed.code, side: sideLines(folder) }).toEqual({
      code: 0,
      side: ['reserve', 'charge', 'charge done', 'ship', 'ship done'],
    })
    expect((await keelson(['verify', 'last'], folder)).code).toBe(0)
  })

  it('twice: the run is cancelled, exit code 3, and what was done and stays is named', async () => {
    const folder = project()
    const { code, screen } = await interrupted(folder, async (terminal) => {
      await terminal.shows(/stopping: nothing new starts, what runs has 5 s; Ctrl-C again cancels/)
      terminal.type(CTRL_C)
    })
    expect({ code, screen }).toEqual({
      code: 3,
      screen: expect.stringMatching(
        /■ cancelled after .*\n {2}not undone reserve\n {2}try again +keelson fork/,
      ) as string,
    })
  })

  it('once, when what runs does not end in 5 s: it is left all the same, and runs again under its key', async () => {
    const folder = project()
    const { code } = await interrupted(folder, async () => undefined)
    expect({ code, side: sideLines(folder) }).toEqual({ code: 4, side: ['reserve', 'charge'] })
    const cancelled = await keelson(['cancel', 'last', '--undo', '--reason', 'enough'], folder)
    expect(cancelled).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/■ cancelled[\s\S]*undone +reserve\n/) as string,
    })
    expect(sideLines(folder)).toEqual(['reserve', 'charge', 'undo reserve'])
    expect((await keelson(['verify', 'last'], folder)).code).toBe(0)
  })
})

describe('cancel', () => {
  it('of a run that another process drives: says what stays, or undoes it newest first with --undo', async () => {
    const gated = STEPS.replace('{ stepId })', '{ stepId, signal })').replace(
      "while (!existsSync('go')) await sleep(20)",
      "while (stepId === 'ship' && !existsSync('go')) { signal.throwIfAborted(); await sleep(20) }",
    )
    const steps = gated.replace('slow = async (input, { stepId })', 'slow = async (input, { stepId, signal })')
    for (const [flags, told, side] of [
      [[], / {2}not undone charge, reserve\n/, []],
      [['--undo'], / {2}undone {5}charge, reserve\n/, ['undo charge', 'undo reserve']],
    ] as const) {
      const folder = project(steps)
      expect((await keelson(['run', 'plan.yaml', '--detach'], folder)).code).toBe(4)
      await until('ship has begun', () => sideLines(folder).includes('ship'))
      const cancelled = await keelson(['cancel', 'last', ...flags], folder)
      expect(cancelled).toMatchObject({ code: 0, stdout: expect.stringMatching(/■ cancelled after/) as string })
      expect(cancelled.stdout).toMatch(told)
      expect(sideLines(folder).filter((line) => line.startsWith('undo'))).toEqual(side)
      expect((await keelson(['verify', 'last'], folder)).code).toBe(0)
    }
  })

  it('of a run that has ended is refused with exit code 1', async () => {
    const folder = project(soon.replaceAll('1500', '1'))
    await keelson(['run', 'plan.yaml'], folder)
    expect(await keelson(['cancel', 'last'], folder)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^RUN_TERMINAL/) as string,
    })
  })
})

it('run --detach leaves at once with exit code 4, and the run comes to its end', async () => {
  const folder = project(soon)
  const { code, stdout } = await keelson(['run', 'plan.yaml', '--detach', '--json'], folder)
  expect({ code, last: jsonLines(stdout).at(-1) }).toMatchObject({ code: 4, last: { result: { detached: true } } })
  expect(sideLines(folder)).not.toContain('ship')
  const ended = await until('it has completed', async () => {
    const [row] = jsonLines((await keelson(['runs', '--json'], folder)).stdout)
    return row?.['status'] === 'COMPLETED' && row
  })
  expect(ended).toMatchObject({ status: 'COMPLETED', stepsDone: 3 })
})

it.each(['run', 'run --detach'])('%s of functions that cannot be loaded says so and starts nothing', async (words) => {
  const folder = project(`${STEPS}throw new Error("no bank")\n`)
  const { code, stderr } = await keelson([...words.split(' '), 'plan.yaml'], folder)
  expect([code, stderr.split('\n')[0]]).toEqual([2, expect.stringMatching(/STEPS_NOT_LOADED .*no bank/)])
  expect((await keelson(['runs'], folder)).stdout).not.toMatch(/APPROVED|RUNNING/)
})
