/** The settings of memory as a person meets them: a command that drives runs has them, unless Node was started with others. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { runChild } from '../fixtures/child.ts'
import { ROOT } from '../../scripts/terminal.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, keelson } from './command.ts'

const planOf = (...steps: readonly object[]): string =>
  JSON.stringify({
    plan: 'busy',
    version: '1.0.0',
    steps: steps.map((step, index) => ({ id: `s${index}`, run: 'busy', ...step })),
    output: { young: `\${steps.s${steps.length - 1}.output}` },
  })
/** Objects that live a little: V8 answers them with a larger young generation. */
const STEPS = `import { getHeapSpaceStatistics } from 'node:v8'
export async function busy() {
  const kept = []
  let most = 0
  for (let at = 0; at < 1_500_000; at++) {
    kept.push({ at, list: [at, at], text: 'x' + at })
    if (kept.length > 60_000) kept.splice(0, 30_000)
    if (at % 5_000 !== 0) continue
    await new Promise(setImmediate)
    most = Math.max(most, getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size)
  }
  return most
}
`

const youngIn = (stdout: string): number => Number(/"output":\{"young":(\d+)\}/.exec(stdout)?.[1])

beforeAll(ensureBuilt)

it.each([
  ['bounds the young generation', '', LIMITS.youngHeapBytes],
  ['leaves it to those who set its size', '--max-semi-space-size=32', 2 * LIMITS.youngHeapBytes],
])('keelson run %s', async (_, options, young) => {
  const folder = folderWith({ 'p.json': planOf({}), 'keelson.steps.mjs': STEPS })
  const { code, stdout } = await keelson(['run', 'p.json', '--json'], folder, undefined, { NODE_OPTIONS: options })
  expect(code).toBe(0)
  // During a collection a few pages more are there.
  expect(youngIn(stdout)).toBeGreaterThanOrEqual(young)
  expect(youngIn(stdout)).toBeLessThan(1.25 * young)
})

/** What a program asks for that answers requests. On a machine with much else to do it takes longer until it counts as busy. */
const PROGRAM = (options: string, enough: number): string => `
import { loadPlan, openKeelson } from 'keelson'
import { busy } from './keelson.steps.mjs'
const keelson = await openKeelson({ directory: ':memory:', steps: { busy }, smallHeap: true, ${options} })
const plan = loadPlan(${JSON.stringify(planOf({}, {}, {}))})
const until = Date.now() + 120_000
for (let young = 0; young < ${enough} && Date.now() < until;) {
  const ended = await (await keelson.start(plan)).result()
  young = ended.output.young
  console.log(JSON.stringify(ended))
}
await keelson.close()
`

it.each([
  ['stays small under load', '', LIMITS.youngHeapBytes],
  ['grows under load where that is asked for, and has a bound', 'heapGrowsWhenBusy: true', LIMITS.busyYoungHeapBytes],
])(
  'the heap of a program %s',
  (_, options, young) => {
    const folder = folderWith({ 'program.mjs': PROGRAM(options, young), 'keelson.steps.mjs': STEPS })
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules', 'keelson'))
    const { status, stdout } = runChild(process.execPath, [join(folder, 'program.mjs')])
    expect(status).toBe(0)
    const last = youngIn(stdout.trim().split('\n').at(-1) ?? '')
    expect(last).toBeGreaterThanOrEqual(young)
    expect(last).toBeLessThan(1.25 * young)
  },
  180_000,
)

it('a function that is isolated in a thread may grow, after the process was bounded', async () => {
  const folder = folderWith({ 'p.json': planOf({}, { isolation: 'thread' }), 'keelson.steps.mjs': STEPS })
  const { code, stdout } = await keelson(['run', 'p.json', '--json'], folder)
  expect(code).toBe(0)
  expect(youngIn(stdout)).toBeGreaterThan(1.25 * LIMITS.youngHeapBytes)
})
