/** What a person sees of a wide fan-out, its undoing, a held run and child runs: at any width no line is broken by the terminal. */
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson, linesOf } from './command.ts'
import { CTRL_C, tooWide, TypedTerminal } from './typed-terminal.ts'

const PLAN = `plan: import-all-customers-of-the-region
version: 1.0.0
metadata: { labels: { team: logistics } }
inputs: { type: object }
steps:
  - { id: reserve, run: quick, compensate: { run: back } }
  - { id: kids, plan: { planId: kid }, forEach: '[\`1\`, \`2\`, \`3\`, \`4\`]' }
  - { id: pack, forEach: input.items, run: pack, with: { sku: '\${item}' }, compensate: { run: back } }
  - { id: pay, run: bad, retry: { maxAttempts: 3, initialBackoffMs: 10 } }
  - { id: tell, run: quick }
`
const HOLD = `plan: held
version: 1.0.0
policy: { onFailure: hold, retry: { maxAttempts: 1 } }
inputs: { type: object }
steps:
  - { id: pay, run: bad, dependsOn: [] }
  - { id: release, dependsOn: [], manual: { title: 'Release order \${input.orderId}' } }
  - { id: pack, run: quick, dependsOn: [pay] }
  - { id: ship, run: quick, dependsOn: [pack] }
`
const STEPS = `export const quick = () => 1
export const pack = (input) => input
export const back = () => new Promise((done) => setTimeout(done, 10))
export const bad = () => { throw new Error('the bank is closed') }
`
const items = Array.from({ length: 200 }, (_one, index) => `sku-${index}`)
const FILES = {
  'plan.yaml': PLAN,
  'hold.yaml': HOLD,
  'kid.yaml': 'plan: kid\nversion: 1.0.0\nsteps: [{ id: a, run: quick }]\n',
  'keelson.steps.mjs': STEPS,
  'in.json': JSON.stringify({ orderId: 'A-17', items }),
}
const START = ['run', 'plan.yaml', '--input', 'in.json', '--request-id', 'r-17', '--correlation-id', 'c-9'] as const

beforeAll(ensureBuilt)

describe.each([40, 60, 120])('at %i columns', (columns) => {
  it('no line of the picture or the end is wider than the terminal, undoing counts, and the end names what was undone', async () => {
    const { code, text, screen } = await new TypedTerminal(START, folderWith(FILES), columns).finished
    expect({ code, wide: tooWide(text, columns) }).toEqual({ code: 1, wide: [] })
    expect(text).toMatch(/↩ pack +[\d.]+ m?s +undoing \d+ of 200/)
    expect(screen).toMatch(/↩ pack +[\d.]+ m?s +undone \(200\)/)
    expect(screen).toMatch(/gave up after 3 of 3/)
    expect(screen).toMatch(/ {2}undone {5}pack \(200\), reserve\n/)
    // Drawn once: nothing of an earlier picture is left above it.
    expect(screen.match(/[↩▸] pack /g)).toHaveLength(1)
  })

  it('a held run says so, and titles have their values', async () => {
    const folder = folderWith(FILES)
    const terminal = new TypedTerminal(['run', 'hold.yaml', '--input', 'in.json'], folder, columns)
    if (columns > 60) await terminal.shows(/waits for a person: Release order A-17/)
    await terminal.shows(/‖ held: a person must decide\s+keelson why [0-9a-f]{8}/)
    terminal.type(CTRL_C)
    const { code, text, screen } = await terminal.finished
    expect({ code, wide: tooWide(text, columns) }).toEqual({ code: 4, wide: [] })
    expect(screen).toMatch(/decide +keelson why [0-9a-f]{8}/)
  })
})

describe('what a person finds', () => {
  const ended = async (): Promise<string> => {
    const folder = folderWith(FILES)
    expect((await keelson(START, folder)).code).toBe(1)
    return folder
  }
  const callIn =
    (folder: string) =>
    async (...args: readonly string[]): Promise<string> =>
      (await keelson(args, folder)).stdout

  it('children are folded under their parent, `last` is the parent, and business keys lead to it', async () => {
    const call = callIn(await ended())
    const [, root = '', ...below] = linesOf(await call('runs'))
    expect(
      below.map((line) =>
        line
          .replace(/[0-9a-f]{8}/g, 'ID')
          .replace(/ +/g, ' ')
          .replace(/\d\d:.*?m?s /, ''),
      ),
    ).toEqual([
      '└ ID kid 1.0.0 COMPLETED 1/1 for kids[0]',
      '└ ID kid 1.0.0 COMPLETED 1/1 for kids[1]',
      '└ ID kid 1.0.0 COMPLETED 1/1 for kids[2]',
      '└ … 1 more child run: keelson show ID',
    ])
    const id = root.slice(0, 8)
    for (const by of [
      ['--request-id', 'r-17'],
      ['--label', 'team=logistics'],
      ['--correlation-id', 'c-9'],
    ])
      expect((await call('list', ...by)).split('\n')[1]?.slice(0, 8)).toBe(id)
    for (const by of [
      ['--request-id', 'r-18'],
      ['--label', 'team=x'],
      ['--correlation-id', 'c-8'],
    ])
      expect(await call('runs', ...by)).toBe('no such runs\n')
    expect(JSON.parse(await call('show', 'last', '--json'))).toMatchObject({
      runId: expect.stringMatching(`^${id}`) as string,
    })
  })

  it('`show <run> <step>` has input, output, each attempt with its error and place, items and children', async () => {
    const folder = await ended()
    const call = callIn(folder)
    expect(await call('show', 'last', 'pay')).toMatch(
      /pay {3}FAILED {3}3 attempts\n {2}input +\{\}\n {2}attempt 1 .*HANDLER_FAILED {2}"the bank is closed"\n +at bad \(.*keelson\.steps\.mjs:4:\d+\)\n {2}attempt 2[\s\S]*attempt 3/,
    )
    expect(await call('show', 'last', 'pack[120]')).toMatch(
      /input +\{"sku":"sku-120"\}\n {2}output +\{"sku":"sku-120"\}\n[\s\S]*undoing +DONE/,
    )
    expect(await call('show', 'last', 'kids')).toMatch(
      /items +4 of 4 done\n {2}child run +keelson show [0-9a-f]{8} +# kids\[0\]/,
    )
    const [json] = jsonLines(await call('show', 'last', 'pack[120]', '--json'))
    expect(json).toMatchObject({ slot: 'pack[120]', input: { sku: 'sku-120' }, output: { sku: 'sku-120' } })
    const unknown = await keelson(['show', 'last', 'pak'], folder)
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^STEP_UNKNOWN .*did you mean 'pack'/) as string,
    })
  })

  it('`why` says that a step gave up, and of a held run names the blocker first and once, with the commands that unblock it', async () => {
    const folder = await ended()
    const call = callIn(folder)
    expect(await call('why', 'last')).toMatch(
      /^the run is FAILED\n[\s\S]*pay has failed\n {2}1 {2}it gave up after 3 of 3 attempts with HANDLER_FAILED/,
    )
    await keelson(['run', 'hold.yaml', '--input', 'in.json', '--queue'], folder)
    await keelson(['queue', 'start'], folder)
    const told = await call('why', 'last')
    expect(told).toMatch(
      /pay has failed\n[\s\S]*keelson signal [0-9a-f]{8} skip-step --step pay[\s\S]*behind that: pack, ship\n/,
    )
    expect(told.match(/a person (must )?decides?/g)).toHaveLength(1)
    const ofShip = await call('why', 'last', 'ship')
    expect(ofShip).toMatch(/^pay has failed\n[\s\S]*\nship has not started, because\n {2}1 {2}pack has not started\n/)
    expect(ofShip.match(/retry-step --step pay/g)).toHaveLength(1)
  })
})

it.each([
  ['kill', 'cancel'],
  ['status', 'show'],
  ['tail', 'events --follow'],
  ['rollback', 'cancel --undo'],
  ['validate', 'plan check'],
])('a word from elsewhere, %s, leads to %s', async (word, meant) => {
  expect(await keelson([word, 'last'], folderWith({}))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`did you mean '${meant}'?`) as string,
  })
})
