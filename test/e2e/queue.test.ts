/** Runs that are admitted now and started later, from the command line. */
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, linesOf, sideLines } from './command.ts'

const STEPS = `import { appendFileSync } from 'node:fs'
export const note = (input, { runId }) => appendFileSync('side.txt', runId + '\\n')
`
const PLAN = 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: note }\n'

beforeAll(ensureBuilt)

const project = (): string => folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })

async function queued(folder: string, ...more: readonly string[]): Promise<string> {
  const { code, stdout } = await keelson(['run', 'p.yaml', '--queue', '--json', ...more], folder)
  expect(code).toBe(0)
  const [line] = jsonLines(stdout) as unknown as readonly { readonly result: { readonly runId: string } }[]
  return line?.result.runId ?? ''
}

it('a queued run is listed, left by resume, and started and driven by queue start, oldest first', async () => {
  const folder = project()
  const ids = [await queued(folder), await queued(folder), await queued(folder)]
  expect(sideLines(folder)).toEqual([])
  const listed = jsonLines((await keelson(['queue', '--json'], folder)).stdout)
  expect(listed.map(({ runId }) => runId)).toEqual(ids)
  expect((await keelson(['queue'], folder)).stdout).toMatch(/^RUN .*\n[0-9a-f]{8} .*keelson queue start [0-9a-f]{8}\n/)
  expect((await keelson(['runs'], folder)).stdout.match(/PENDING .* queued$/gm)).toHaveLength(3)
  expect((await keelson(['why', 'last', 'a'], folder)).stdout).toMatch(/has not started[\s\S]*keelson queue start/)
  const left = await keelson(['resume'], folder)
  expect(left).toMatchObject({ code: 0, stderr: '3 runs queued: keelson queue start\n' })
  expect((await keelson(['queue', 'start', '--limit', '1'], folder)).code).toBe(0)
  expect(sideLines(folder)).toEqual(ids.slice(0, 1))
  expect((await keelson(['resume', ids[2] ?? ''], folder)).code).toBe(0)
  expect((await keelson(['queue', 'start'], folder)).code).toBe(0)
  expect(sideLines(folder)).toEqual([ids[0], ids[2], ids[1]])
  expect((await keelson(['queue'], folder)).stdout).toBe('nothing is queued\n')
})

it('two processes that start what is queued at once start each run once', async () => {
  const folder = project()
  const ids: string[] = []
  for (let index = 0; index < 6; index += 1) ids.push(await queued(folder))
  const both = [new Command(['queue', 'start'], folder), new Command(['queue', 'start'], folder)]
  for (const { finished } of both) expect([0, 4]).toContain((await finished).code)
  expect([...sideLines(folder)].sort()).toEqual([...ids].sort())
})

it('a request that was queued is found by its id, and goes on when it is made again without --queue', async () => {
  const folder = project()
  const id = await queued(folder, '--request-id', 'order-17')
  expect(await queued(folder, '--request-id', 'order-17')).toBe(id)
  expect((await keelson(['run', 'p.yaml', '--request-id', 'order-17'], folder)).code).toBe(0)
  expect(sideLines(folder)).toEqual([id])
})

it('a run with --not-before starts then and not earlier; one that is queued as well says until when it waits', async () => {
  const folder = project()
  const asked = Date.now()
  const { code, stdout } = await keelson(['run', 'p.yaml', '--not-before', '2s', '--json'], folder)
  expect(code).toBe(0)
  const at = (type: string): number =>
    Date.parse(String(jsonLines(stdout).find(({ eventType }) => eventType === type)?.['emittedAt']))
  expect(at('RunStarted') - asked).toBeGreaterThanOrEqual(2000)
  expect(at('RunQueued')).toBeLessThan(at('RunStarted'))
  await queued(folder, '--not-before', '2h')
  expect((await keelson(['queue'], folder)).stdout).toMatch(/PENDING .*not before (\d{4}-\d\d-\d\d )?\d\d:\d\d/)
  expect((await keelson(['queue', 'start'], folder)).stdout).toBe('nothing is queued that could start now\n')
  expect(linesOf((await keelson(['run', 'p.yaml', '--not-before', 'soon'], folder)).stderr)[0]).toMatch(
    /^USAGE {2}--not-before takes a time such as 2h/,
  )
})

it('a run with --needs-approval waits for queue approve, which names who said so; queue reject ends it', async () => {
  const folder = project()
  const id = await queued(folder, '--needs-approval', '--request-id', 'order-17')
  const short = id.slice(0, 8)
  expect((await keelson(['queue'], folder)).stdout).toContain(`PENDING  `)
  expect((await keelson(['queue'], folder)).stdout).toContain(`keelson queue approve ${short}`)
  expect((await keelson(['why', id, 'a'], folder)).stdout).toContain(`keelson queue approve ${short}`)
  expect((await keelson(['queue', 'start'], folder)).stdout).toBe('nothing is queued that could start now\n')
  const asked = await keelson(['queue', 'start', id], folder)
  expect(asked).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(`^RUN_NOT_QUEUED .* waits for approval: keelson queue approve ${short}\n`) as string,
  })
  const again = await keelson(['run', 'p.yaml', '--request-id', 'order-17'], folder)
  expect(again).toMatchObject({ code: 4, stdout: expect.stringContaining(`keelson queue approve ${short}`) as string })
  const approved = await keelson(['queue', 'approve', short, '--as', 'ana'], folder)
  expect(approved).toMatchObject({
    code: 0,
    stdout: `run ${short} is approved\n  start      keelson queue start ${short}\n`,
  })
  const [, record] = jsonLines((await keelson(['events', id, '--json'], folder)).stdout)
  expect(record).toMatchObject({ eventType: 'RunApproved', payload: { approvedBy: 'ana' } })
  expect((await keelson(['queue', 'start'], folder)).code).toBe(0)
  expect(sideLines(folder)).toEqual([id])
  const late = await keelson(['queue', 'approve', id], folder)
  expect({ code: late.code, first: linesOf(late.stderr)[0] }).toEqual({
    code: 1,
    first: expect.stringMatching(/^RUN_NOT_WAITING {2}run .* is COMPLETED/) as string,
  })

  const other = await queued(folder, '--needs-approval')
  const reject = ['queue', 'reject', other, '--as', 'ana', '--reason', 'too dear', '--json']
  expect(jsonLines((await keelson(reject, folder)).stdout)).toEqual([{ runId: other, status: 'CANCELLED' }])
  expect((await keelson(['events', other, '--json'], folder)).stdout).toContain('too dear')
  expect((await keelson(['queue'], folder)).stdout).toBe('nothing is queued\n')
  expect(sideLines(folder)).toEqual([id])
  const wrong = await keelson(['run', 'p.yaml', '--needs-approval'], folder)
  expect({ code: wrong.code, first: linesOf(wrong.stderr)[0] }).toEqual({
    code: 2,
    first: expect.stringMatching(/^USAGE {2}--needs-approval goes with --queue/) as string,
  })
})

it('a fork of a rejected run waits for approval, and show and why tell who rejected it', async () => {
  const folder = project()
  const id = await queued(folder, '--needs-approval', '--as', 'ana')
  await keelson(['queue', 'reject', id, '--as', 'ben', '--reason', 'too dear'], folder)
  const shown = (await keelson(['show', id], folder)).stdout
  expect(shown).toContain('cancelled by ben, "too dear", before it was approved')
  expect(shown).toContain(`ask again  keelson fork ${id.slice(0, 8)}   # the new run waits for approval`)
  expect(shown).not.toContain('try again')
  expect((await keelson(['why', id], folder)).stdout).toBe(
    'the run is CANCELLED by ben, "too dear", before it was approved\n',
  )
  const forked = await keelson(['fork', id, '--as', 'ana'], folder)
  expect(forked).toMatchObject({ code: 4, stdout: expect.stringContaining('keelson queue approve ') as string })
  const retried = await keelson(['signal', id, 'retry-run', '--reason', 'again', '--as', 'ana'], folder)
  expect(retried).toMatchObject({ code: 4, stdout: expect.stringContaining('keelson queue approve ') as string })
  expect((await keelson(['queue', 'start'], folder)).stdout).toBe('nothing is queued that could start now\n')
  expect(sideLines(folder)).toEqual([])
})

it('queue start and queue approve of a run with a cancel in its inbox say that it is CANCELLED', async () => {
  const folder = project()
  const id = await queued(folder)
  await keelson(['signal', id, 'cancel', '--reason', 'no'], folder)
  expect(await keelson(['queue', 'start', id], folder)).toMatchObject({
    code: 3,
    stderr: `run ${id.slice(0, 8)} does not start: it is CANCELLED\n`,
  })
  const asked = await queued(folder, '--needs-approval')
  await keelson(['signal', asked, 'cancel', '--reason', 'no'], folder)
  expect(await keelson(['queue', 'approve', asked, '--as', 'ben'], folder)).toMatchObject({
    code: 3,
    stdout: `run ${asked.slice(0, 8)} is not approved: it is CANCELLED by what was said before\n`,
  })
  expect(sideLines(folder)).toEqual([])
})
