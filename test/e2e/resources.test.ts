/** Limits over runs of several processes on one file, as a person at the command line meets them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, sideLines, until } from './command.ts'

const STEPS = `import { appendFileSync, existsSync } from 'node:fs'
export const gated = async (input, { runId, stepId, itemIndex, signal }) => {
  const name = runId.slice(0, 4) + itemIndex
  appendFileSync('side.txt', 'begin ' + name + '\\n')
  while (!existsSync('go')) {
    if (signal.aborted) throw signal.reason
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await new Promise((resolve) => setTimeout(resolve, 20))
  appendFileSync('side.txt', 'end ' + name + '\\n')
}
`
const PLAN = `plan: p
version: 1.0.0
steps:
  - { id: print, forEach: "[\`1\`, \`2\`, \`3\`, \`4\`]", run: gated, resources: { printer: 1 } }
`
const project = (): string => folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })

beforeAll(ensureBuilt)

function mostAtOnce(lines: readonly string[]): number {
  let now = 0
  let most = 0
  for (const line of lines) {
    now += line.startsWith('begin') ? 1 : -1
    most = Math.max(most, now)
  }
  return most
}

describe('a resource', () => {
  it('that nobody declared is refused with what to do, and nothing is started', async () => {
    const folder = project()
    const refused = await keelson(['run', 'p.yaml'], folder)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/RESOURCE_UNKNOWN.*'print'.*'printer'[\s\S]*keelson resources set/)
    expect((await keelson(['runs', '--json'], folder)).stdout).toBe('')
  })

  it('is shared by two terminals: never more at work than there are, and why says what is waited for [RES-01, P-19]', async () => {
    const folder = project()
    const set = await keelson(['resources', 'set', 'printer', '--capacity', '2', '--json'], folder)
    expect(jsonLines(set.stdout)).toEqual([{ pool: 'resource:printer', capacity: 2 }])
    const runs = [new Command(['run', 'p.yaml'], folder), new Command(['run', 'p.yaml'], folder)]
    const ids = await Promise.all(runs.map(async (run) => (await run.shows(/run ([0-9a-f]{8})/))[1] ?? ''))
    await until('both units are in use', () => sideLines(folder).length === 2)
    await until('the others wait', async () => {
      const [pool] = jsonLines((await keelson(['resources', '--json'], folder)).stdout)
      return Number(pool?.['waiting']) >= 6
    })
    const why = await Promise.all(ids.map(async (id) => (await keelson(['why', id, 'print'], folder)).stdout))
    expect(why.join('')).toMatch(/it wants 1 of resource:printer since .*: 2 of 2 are in use, and \d+ steps wait/)
    expect((await keelson(['resources'], folder)).stdout).toMatch(/resource:printer +2 +2 +\d/)
    await keelson(['resources', 'set', 'printer', '--capacity', '3'], folder)
    writeFileSync(join(folder, 'go'), '')
    for (const run of runs) expect((await run.finished).code).toBe(0)
    expect(mostAtOnce(sideLines(folder))).toBeLessThanOrEqual(3)
    expect(sideLines(folder)).toHaveLength(16)
    expect((await keelson(['resources'], folder)).stdout).toMatch(/resource:printer +0 +3 +0/)
  })
})
