/** A run that is only admitted runs nothing of the folder its plan lies in: not when it is queued, asked for again, or forked. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../e2e/built.ts'
import { folderWith, jsonLines, keelson, linesOf, sideLines } from '../e2e/command.ts'

const PLAN = 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: note }\n'
const STEPS = `import { appendFileSync, writeFileSync } from 'node:fs'
writeFileSync('ran', '')
export const note = (input, { runId }) => appendFileSync('side.txt', runId + '\\n')
`

beforeAll(ensureBuilt)

const project = (): string => folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })
const hasRun = (folder: string): boolean => existsSync(join(folder, 'ran'))

async function queued(folder: string, ...more: readonly string[]): Promise<string> {
  const { code, stdout } = await keelson(['run', 'p.yaml', '--queue', '--json', ...more], folder)
  expect(code).toBe(0)
  const [line] = jsonLines(stdout) as unknown as readonly { readonly result: { readonly runId: string } }[]
  return line?.result.runId ?? ''
}

describe('of a stranger’s folder nothing runs', () => {
  it.each([[[]], [['--needs-approval']], [['--not-before', '2h']], [['--steps', 'keelson.steps.mjs']]])(
    'when its plan is queued with %j; its functions are found when it is started',
    async (more) => {
      const folder = project()
      const id = await queued(folder, ...more)
      expect(hasRun(folder)).toBe(false)
      if (more[0] === '--not-before') return
      if (more[0] === '--needs-approval') await keelson(['queue', 'approve', id, '--as', 'ben'], folder)
      expect(hasRun(folder)).toBe(false)
      expect((await keelson(['queue', 'start', id], folder)).code).toBe(0)
      expect(sideLines(folder)).toEqual([id])
    },
  )

  it('when a request that was queued is queued again, or its plan names a function that is not there', async () => {
    const folder = project()
    await queued(folder, '--request-id', 'order-17')
    await queued(folder, '--request-id', 'order-17')
    writeFileSync(join(folder, 'p.yaml'), PLAN.replace('note', 'nota'))
    const { code, stderr } = await keelson(['run', 'p.yaml', '--queue'], folder)
    expect([code, linesOf(stderr)[0]]).toEqual([2, "p.yaml:4:19  NO_HANDLER  keelson.steps.mjs has no function 'nota'"])
    expect(hasRun(folder)).toBe(false)
  })

  it('when a run that nobody approved, or that is not due, is to be started or resumed', async () => {
    const folder = project()
    const open = await queued(folder, '--needs-approval')
    const later = await queued(folder, '--not-before', '2h')
    for (const words of [
      ['resume', open],
      ['queue', 'start', open],
      ['queue', 'start', later],
    ]) {
      const { code, stderr } = await keelson(words, folder)
      expect([code, linesOf(stderr)[0]?.startsWith('RUN_NOT_QUEUED')]).toEqual([1, true])
    }
    expect(hasRun(folder)).toBe(false)
  })

  it('when a run that nobody approved is forked or tried again: the new one waits too', async () => {
    const folder = project()
    const id = await queued(folder, '--needs-approval', '--as', 'ana')
    await keelson(['queue', 'reject', id, '--as', 'ben', '--reason', 'too dear'], folder)
    const forked = await keelson(['fork', id, '--as', 'ana', '--json'], folder)
    const again = await keelson(['signal', id, 'retry-run', '--reason', 'again', '--as', 'ana'], folder)
    expect([forked.code, again.code, hasRun(folder)]).toEqual([4, 4, false])
    const [line] = jsonLines(forked.stdout).slice(-1) as unknown as readonly { readonly result: { runId: string } }[]
    const next = line?.result.runId ?? ''
    await keelson(['queue', 'approve', next, '--as', 'ben'], folder)
    expect((await keelson(['queue', 'start', next], folder)).code).toBe(0)
    expect(sideLines(folder)).toEqual([next])
  })
})
