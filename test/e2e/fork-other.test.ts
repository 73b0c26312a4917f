/** `keelson fork` with another input or another plan: what it shows, what it asks, what it does again. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson, sideLines } from './command.ts'
import { TypedTerminal } from './typed-terminal.ts'

const PLAN = `plan: order
version: 1.0.0
steps:
  - { id: reserve, run: note, with: { sku: '\${input.sku}' } }
  - { id: charge, run: note, with: { amount: '\${input.amount}' } }
  - { id: ship, run: note }
`
const V2 = PLAN.replace('1.0.0', '2.0.0').replace('id: ship, run: note', 'id: ship, run: better')
const STEPS = `import { appendFileSync } from 'node:fs'
export const note = (input, { stepId }) => void appendFileSync('side.txt', stepId + ' ' + JSON.stringify(input) + '\\n')
export const better = (input, { stepId }) => void appendFileSync('side.txt', stepId + ' better\\n')
`
const INPUT = '{"sku": "A", "amount": 5}'

beforeAll(ensureBuilt)

async function ended(): Promise<string> {
  const folder = folderWith({ 'plan.yaml': PLAN, 'v2.yaml': V2, 'keelson.steps.mjs': STEPS })
  expect((await keelson(['run', 'plan.yaml', '--input', INPUT], folder)).code).toBe(0)
  return folder
}

const FIRST = ['reserve {"sku":"A"}', 'charge {"amount":5}', 'ship {}']
const shownDiff = /~ metadata\.planVersion: "1\.0\.0" → "2\.0\.0"\r?\n~ step ship\r?\n {4}run: "note" → "better"/

describe('fork --input', () => {
  it('repeats what reads the fields that differ and what follows, with input from a file, as it stands and from standard input', async () => {
    const folder = await ended()
    writeFileSync(join(folder, 'new.json'), '{"sku": "A", "amount": 6}')
    const { code, stdout } = await keelson(['fork', 'last', '--input', 'new.json'], folder)
    expect(code).toBe(0)
    expect(stdout).toMatch(
      / {2}other input {2}amount\n {2}takes over {3}reserve\n {2}does again {3}charge \(another input\.amount\), ship \(after charge\)\n/,
    )
    expect(sideLines(folder)).toEqual([...FIRST, 'charge {"amount":6}', 'ship {}'])
    const inline = await keelson(['fork', 'last', '--input', '{"sku": "A", "amount": 7}', '--json'], folder)
    expect(jsonLines(inline.stdout).at(-1)).toMatchObject({ result: { status: 'COMPLETED' } })
    const piped = await keelson(['fork', 'last', '--input', '-'], folder, '{"sku": "A", "amount": 8}')
    expect({ code: piped.code, last: sideLines(folder).at(-2) }).toEqual({ code: 0, last: 'charge {"amount":8}' })
    expect((await keelson(['verify', 'last'], folder)).code).toBe(0)
    expect((await keelson(['verify', '--store'], folder)).code).toBe(0)
  })

  it('that is not JSON, or not there, starts nothing', async () => {
    const folder = await ended()
    expect((await keelson(['fork', 'last', '--input', '{a: 1}'], folder)).code).toBe(2)
    const missing = await keelson(['fork', 'last', '--input', 'nowhere.json'], folder)
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/^FILE_NOT_FOUND/) as string })
    expect(sideLines(folder)).toEqual(FIRST)
  })
})

describe('fork --plan', () => {
  it('shows the difference and what is done again, and asks: no starts nothing, yes starts it', async () => {
    const folder = await ended()
    const no = new TypedTerminal(['fork', 'last', '--plan', 'v2.yaml'], folder, 80)
    await no.shows(/Start the new run\? \[y\/N\]/)
    no.type('\r')
    const refused = await no.finished
    expect(refused.text).toMatch(shownDiff)
    expect(refused.text).toMatch(/takes over {3}reserve, charge\r\n {2}does again {3}ship \(changed: run\)/)
    expect({ code: refused.code, side: sideLines(folder) }).toEqual({ code: 3, side: FIRST })
    const yes = new TypedTerminal(['fork', 'last', '--plan', 'v2.yaml'], folder, 80)
    await yes.shows(/Start the new run\? \[y\/N\]/)
    yes.type('y\r')
    const { code, screen } = await yes.finished
    expect(screen).toMatch(/✔ completed/)
    expect({ code, side: sideLines(folder) }).toEqual({ code: 0, side: [...FIRST, 'ship better'] })
  })

  it('is refused where nobody can be asked, unless --yes is said; --dry-run shows it and --json tells it', async () => {
    const folder = await ended()
    const refused = await keelson(['fork', 'last', '--plan', 'v2.yaml'], folder)
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^USAGE {2}a fork onto another plan asks before it starts.*say --yes/) as string,
    })
    expect((await keelson(['fork', 'last', '--plan', 'v2.yaml', '--json'], folder)).code).toBe(2)
    const shown = await keelson(['fork', 'last', '--plan', 'v2.yaml', '--dry-run'], folder)
    expect(shown.stdout).toMatch(shownDiff)
    const told = await keelson(['fork', 'last', '--plan', 'v2.yaml', '--preview', '--json'], folder)
    expect(jsonLines(told.stdout)[0]).toMatchObject({
      plan: { changed: [{ stepId: 'ship', fields: [{ path: 'run', from: 'note', to: 'better' }] }] },
      taken: ['reserve', 'charge'],
      again: [{ stepId: 'ship', why: 'changed: run' }],
      dropped: [],
    })
    expect(sideLines(folder)).toEqual(FIRST)
    const done = await keelson(['fork', 'last', '--plan', 'v2.yaml', '--yes'], folder)
    expect({ code: done.code, side: sideLines(folder) }).toEqual({ code: 0, side: [...FIRST, 'ship better'] })
    const show = await keelson(['events', 'last', '--json'], folder)
    expect(jsonLines(show.stdout)[0]).toMatchObject({ planVersion: '2.0.0' })
  })

  it('takes a missing function, a wrong plan and another plan id for what they are, before anything starts', async () => {
    const folder = await ended()
    writeFileSync(join(folder, 'v3.yaml'), V2.replace('better', 'nowhere'))
    const missing = await keelson(['fork', 'last', '--plan', 'v3.yaml', '--yes'], folder)
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('nowhere') as string })
    writeFileSync(join(folder, 'other.yaml'), V2.replace('plan: order', 'plan: other'))
    const other = await keelson(['fork', 'last', '--plan', 'other.yaml', '--yes'], folder)
    expect(other.stderr).toMatch(/^FORK_OTHER_PLAN {2}run [0-9a-f-]+ is one of order, not of other/)
    expect(sideLines(folder)).toEqual(FIRST)
  })

  it('publishes child plans that lie beside it only after the answer, and asks again when these change what is done again', async () => {
    const folder = folderWith({
      'plan.yaml': 'plan: p\nversion: 1.0.0\nsteps: [{ id: kid, plan: { planId: kid } }]',
      'kid.yaml': 'plan: kid\nversion: 1.0.0\nsteps: [{ id: a, run: note }]',
      'v2.yaml': 'plan: p\nversion: 2.0.0\nsteps: [{ id: kid, plan: { planId: kid } }]',
      'keelson.steps.mjs': STEPS,
    })
    expect((await keelson(['run', 'plan.yaml'], folder)).code).toBe(0)
    writeFileSync(join(folder, 'kid.yaml'), 'plan: kid\nversion: 2.0.0\nsteps: [{ id: a, run: better }]')
    const terminal = new TypedTerminal(['fork', 'last', '--plan', 'v2.yaml'], folder, 80)
    await terminal.shows(/takes over {3}kid[\s\S]*\[y\/N\]/)
    terminal.type('y\r')
    await terminal.shows(/does again {3}kid \(changed: plan\)[\s\S]*\[y\/N\]/)
    terminal.type('y\r')
    expect((await terminal.finished).code).toBe(0)
    expect(sideLines(folder)).toEqual(['a {}', 'a better'])
  })
})
