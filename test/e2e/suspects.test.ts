/** Steps that end the process they run in, again and again: found out, put apart and failed; innocent neighbours are not. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, sideLines, until, type Variables } from './command.ts'

const STEPS = `import { appendFileSync, existsSync } from 'node:fs'
const note = (text) => appendFileSync('side.txt', text + '\\n')
const where = () => (process.send === undefined ? 'here' : 'apart')
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
export const fast = (input, { stepId }) => note(stepId)
export const kill = (input, { stepId, itemIndex = '', attempt }) => {
  note(['kill', stepId + itemIndex, attempt, where()].join(' '))
  process.kill(process.pid, 'SIGKILL')
  return sleep(1e8)
}
export const abort = () => process.abort()
export const exit = () => process.exit(0)
export const hog = () => { const all = []; for (;;) all.push(new Array(1e5).fill({}).map(() => ({}))) }
export const fail = () => { throw Object.assign(new Error('no'), { name: 'ValidationError' }) }
export const item = async (input, context) => {
  if (input.n === 2) return kill(input, context)
  while (!existsSync('go')) await sleep(10)
  return input.n
}
export const gated = async (input, { stepId }) => {
  note(['gated', stepId, where()].join(' '))
  while (!existsSync('go')) await sleep(10)
  return stepId
}
`
const plan = (steps: readonly string[], name = 'p'): string =>
  `plan: ${name}\nversion: 1.0.0\nsteps:\n${steps.map((one) => `  - ${one}\n`).join('')}`
const ONCE = 'retry: { maxAttempts: 1 }'

/** Dies as often as it must, and gives what the last process said. */
async function untilItEnds(
  folder: string,
  variables: Variables = {},
): Promise<{ readonly deaths: number; readonly code: number | null; readonly stdout: string }> {
  for (let deaths = 1; deaths < 10; deaths++) {
    const { code, stdout } = await new Command(['resume', '--json'], folder, undefined, variables).finished
    if (code !== null && code !== 7 && code < 128) return { deaths, code, stdout }
  }
  throw new Error('it never came to an end')
}

const failures = async (folder: string, run = 'last'): Promise<readonly (readonly unknown[])[]> =>
  jsonLines((await keelson(['events', run, '--json'], folder)).stdout).flatMap(({ eventType, stepId, payload }) => {
    const { error, stepId: about } = payload as { readonly error?: { readonly code: string }; readonly stepId?: string }
    return eventType === 'StepFailed' || eventType === 'CompensationFailed' ? [[stepId ?? about, error?.code]] : []
  })

beforeAll(ensureBuilt)

describe('a step that ends its process', () => {
  it.each([
    ['kill', {}],
    ['abort', {}],
    ['exit', {}],
    ['hog', { NODE_OPTIONS: '--max-old-space-size=80' }],
  ] as const)(
    '(%s) runs in a process of its own after three deaths, and fails there [P-27]',
    async (run, variables) => {
      const folder = folderWith({ 'p.yaml': plan([`{ id: bad, run: ${run}, ${ONCE} }`]), 'keelson.steps.mjs': STEPS })
      await new Command(['run', 'p.yaml'], folder, undefined, variables).finished
      const { deaths, code } = await untilItEnds(folder, variables)
      expect([deaths, code]).toEqual([3, 1])
      expect(await failures(folder)).toEqual([['bad', 'PROCESS_DIED']])
      expect((await keelson(['verify', 'last'], folder)).code).toBe(0)
    },
  )

  it('is apart from the start at its further attempts', async () => {
    const folder = folderWith({
      'p.yaml': plan(['{ id: bad, run: kill, retry: { maxAttempts: 3, initialBackoffMs: 1 } }']),
      'keelson.steps.mjs': STEPS,
    })
    await keelson(['run', 'p.yaml'], folder)
    expect((await untilItEnds(folder)).deaths).toBe(3)
    const here = Array.from({ length: 3 }, () => 'kill bad 1 here')
    expect(sideLines(folder)).toEqual([...here, 'kill bad 1 apart', 'kill bad 2 apart', 'kill bad 3 apart'])
  })

  it('takes down neither its neighbours nor other runs: they come to their ends, with no failure on record', async () => {
    const folder = folderWith({
      'p.yaml': plan([
        `{ id: bad, run: kill, ${ONCE}, dependsOn: [] }`,
        '{ id: good, run: gated, dependsOn: [] }',
      ]).concat('policy: { onFailure: continue }\n'),
      'q.yaml': plan(['{ id: other, run: gated }'], 'q'),
      'keelson.steps.mjs': STEPS,
    })
    const other = new Command(['run', 'q.yaml'], folder)
    await until('the other is at work', () => sideLines(folder).includes('gated other here'))
    other.kill('SIGKILL')
    await other.finished
    await keelson(['run', 'p.yaml'], folder)
    const end = untilItEnds(folder)
    await until('it is put apart', () => sideLines(folder).includes('kill bad 1 apart'))
    writeFileSync(join(folder, 'go'), '')
    expect((await end).code).toBe(1)
    expect(await failures(folder)).toEqual([['bad', 'PROCESS_DIED']])
    const events = jsonLines((await keelson(['events', 'last', '--json'], folder)).stdout)
    expect(events.filter(({ eventType }) => eventType === 'StepCompleted')).toMatchObject([
      { stepId: 'good', logicalAttemptId: 1 },
    ])
    const runs = (await keelson(['runs'], folder)).stdout
    expect(runs).toMatch(/q .*COMPLETED|COMPLETED.* q/)
  })

  it('among many items is found, and the others keep their results', async () => {
    const folder = folderWith({
      'p.yaml': plan([
        '{ id: fan, run: item, forEach: "[`0`, `1`, `2`, `3`, `4`]", with: { n: "${item}" }, retry: { maxAttempts: 1 } }',
      ]).concat('policy: { onFailure: continue }\n'),
      'keelson.steps.mjs': STEPS,
    })
    await keelson(['run', 'p.yaml'], folder)
    const end = untilItEnds(folder)
    await until('it is put apart', () => sideLines(folder).includes('kill fan2 1 apart'))
    writeFileSync(join(folder, 'go'), '')
    expect(await end).toMatchObject({ deaths: 3, code: 1 })
    expect(await failures(folder)).toEqual([
      ['fan[2]', 'PROCESS_DIED'],
      ['fan', 'ITEMS_FAILED'],
    ])
  })

  it('in a child run is found as well', async () => {
    const folder = folderWith({
      'parent.yaml': plan(['{ id: child, plan: { planId: kid }, retry: { maxAttempts: 1 } }'], 'parent'),
      'kid.yaml': plan([`{ id: bad, run: kill, ${ONCE} }`], 'kid'),
      'keelson.steps.mjs': STEPS,
    })
    await keelson(['run', 'parent.yaml'], folder)
    expect(await untilItEnds(folder)).toMatchObject({ deaths: 3, code: 1 })
    expect(sideLines(folder).at(-1)).toBe('kill bad 1 apart')
  })

  it.each([
    [
      'compensation',
      '{ id: a, run: fast, compensate: { run: kill, retry: { maxAttempts: 2, initialBackoffMs: 1 } } }',
      '{ id: b, run: fail }',
    ],
    ['fallback', '{ id: a, run: fast }', '{ id: b, run: fail, fallbackOn: [permanent], fallback: { run: kill } }'],
  ])('as a %s is found as well', async (_what, ...steps) => {
    const folder = folderWith({ 'p.yaml': plan(steps), 'keelson.steps.mjs': STEPS })
    await keelson(['run', 'p.yaml'], folder)
    const { deaths, code } = await untilItEnds(folder)
    expect([deaths, code]).toEqual([3, 1])
    const kills = sideLines(folder).filter((line) => line.startsWith('kill'))
    expect(kills.filter((line) => line.endsWith('here'))).toHaveLength(3)
    expect((await keelson(['verify', 'last'], folder)).code).toBe(0)
  })
})

it('a process that is stopped and gives its runs back is no death: the step stays where it is [P-27]', async () => {
  const folder = folderWith({ 'p.yaml': plan(['{ id: long, run: gated }']), 'keelson.steps.mjs': STEPS })
  for (const [index, words] of [['run', 'p.yaml'], ['resume'], ['resume'], ['resume'], ['resume']].entries()) {
    const command = new Command(words, folder)
    await until('the step is at work', () => sideLines(folder).length === index + 1)
    command.kill('SIGTERM')
    expect((await command.finished).code).toBe(4)
  }
  expect(new Set(sideLines(folder))).toEqual(new Set(['gated long here']))
})
