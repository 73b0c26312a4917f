/**
 * A run whose very plan, decision or mapping takes the process with it: found by what was noted before each death, set aside
 * alone after the third, and taken up again when there is memory for it. Whoever was merely beside it is not blamed.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../e2e/built.ts'
import { Command, folderWith, jsonLines, keelson, sideLines, until, type Variables } from '../e2e/command.ts'

const STEPS = `import { appendFileSync, existsSync } from 'node:fs'
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export const fast = () => 1
export const gated = async (input, { stepId }) => {
  appendFileSync('side.txt', stepId + '\\n')
  while (!existsSync('go')) await sleep(10)
  return stepId
}
`
/** Enough for a small run and not for the others. */
const SMALL: Variables = { NODE_OPTIONS: '--max-old-space-size=24' }
const OTHER = 'plan: q\nversion: 1.0.0\nsteps:\n  - { id: other, run: gated }\n'

const planOf = (second: object): string =>
  JSON.stringify({
    plan: 'heavy',
    version: '1.0.0',
    steps: [
      { id: 'first', run: 'gated' },
      { id: 'second', run: 'fast', ...second },
    ],
  })
/** A few megabytes, as a stranger may send them: they take many times as much when they are read. */
const WIDE = { list: Array.from({ length: 900_000 }, () => ({})) }
/** Starts a run and kills its process as soon as its first step is at work. */
async function startAndKill(folder: string, step: string, ...words: readonly string[]): Promise<void> {
  const command = new Command(['run', ...words], folder)
  await until(`${step} is at work`, () => sideLines(folder).includes(step))
  command.kill('SIGKILL')
  await command.finished
}

const resume = (folder: string, variables: Variables = SMALL, ...words: readonly string[]) =>
  new Command(['resume', ...words, '--json'], folder, undefined, variables).finished

interface Lived {
  readonly deaths: number
  readonly code: number | null
  readonly stdout: string
}

/** The deaths until somebody lives, and what that one said. */
async function untilItLives(folder: string): Promise<Lived> {
  for (let deaths = 0; deaths < 8; deaths++) {
    const { code, stdout } = await resume(folder)
    if (code !== null && code < 128) return { deaths, code, stdout }
  }
  throw new Error('every process died')
}

const fates = async (folder: string): Promise<readonly unknown[]> =>
  jsonLines((await keelson(['runs', '--json'], folder, undefined, SMALL)).stdout).map((row) => [
    row['planId'],
    row['status'],
    row['quarantine'],
  ])

beforeAll(ensureBuilt)

describe('a run that takes its process with it', () => {
  it.each([
    ['by its plan alone', { with: WIDE }, 'none.json', /while (folding its log|reading its plan)[;,]/],
    ['by a condition', { if: 'length(input.list) > `1`' }, 'wide.json', /while deciding[;,]/],
    [
      'by the input of a step',
      { with: { count: '${length(input.list)}' } },
      'wide.json',
      /while mapping the input of 'second'[;,]/,
    ],
  ] as const)(
    '%s is set aside after three deaths and says what it was doing; the other runs end [P-27]',
    async (_how, second, input, doing) => {
      const folder = folderWith({
        'heavy.json': planOf(second),
        'wide.json': JSON.stringify(WIDE),
        'none.json': '{}',
        'q.yaml': OTHER,
        'keelson.steps.mjs': STEPS,
      })
      await startAndKill(folder, 'other', 'q.yaml')
      await startAndKill(folder, 'first', 'heavy.json', '--input', input)
      writeFileSync(join(folder, 'go'), '')
      const { deaths, code } = await untilItLives(folder)
      const beside = / with a step at work beside it/.test((await keelson(['why', 'last'], folder)).stderr)
      // The step of the other run may be at work when the process dies: then one more death is needed.
      expect([deaths === 4 && beside ? 3 : deaths, code]).toEqual([3, 6])
      expect(await fates(folder)).toEqual([
        ['heavy', 'RUNNING', 'RUN_KILLS_PROCESS'],
        ['q', 'COMPLETED', undefined],
      ])
      // Whoever looks lives, with as little memory.
      for (const words of [['why', 'last'], ['show', 'last'], ['resume']]) {
        const told = await keelson(words, folder, undefined, SMALL)
        expect(told.code).toBe(6)
        expect(told.stderr).toMatch(
          /RUN_QUARANTINED {2}run \S+ was set aside \(RUN_KILLS_PROCESS\): [34] times in a row/,
        )
        expect(told.stderr).toMatch(doing)
        expect(told.stderr).toMatch(/keelson resume \S+ --retry; .*keelson fork \S+ --at \d+/)
      }
      expect((await keelson(['events', 'last'], folder, undefined, SMALL)).stdout).toContain('RunStarted')
      // With more memory it ends as if nothing had been.
      expect((await resume(folder, {}, 'last', '--retry')).code).toBe(0)
      expect((await fates(folder))[0]).toEqual(['heavy', 'COMPLETED', undefined])
      expect((await keelson(['verify', 'last'], folder)).code).toBe(0)
    },
    120_000,
  )

  it('is not meant where somebody kills the processes that drive it, five times in a row [P-27]', async () => {
    const folder = folderWith({ 'q.yaml': OTHER, 'keelson.steps.mjs': STEPS })
    await startAndKill(folder, 'other', 'q.yaml')
    for (let kills = 2; kills <= 5; kills++) {
      const command = new Command(['resume'], folder)
      await until('it is at work again', () => sideLines(folder).length === kills)
      command.kill('SIGKILL')
      await command.finished
    }
    writeFileSync(join(folder, 'go'), '')
    expect((await resume(folder, {})).code).toBe(0)
    expect(await fates(folder)).toEqual([['q', 'COMPLETED', undefined]])
  })

  it('is taken up again only by name', async () => {
    const folder = folderWith({ 'q.yaml': OTHER, go: '', 'keelson.steps.mjs': STEPS })
    await keelson(['run', 'q.yaml'], folder)
    const { code, stderr } = await keelson(['resume', '--retry'], folder)
    expect([code, stderr]).toEqual([2, expect.stringContaining('--retry takes one run') as unknown])
  })
})
