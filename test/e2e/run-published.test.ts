/** `keelson run --plan-id`: a published plan without its file, by its id, its version or its hash. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson } from './command.ts'

beforeAll(ensureBuilt)

const planText = (version: string, say: string): string =>
  `plan: order\nversion: ${version}\nsteps: [{ id: say, command: { argv: [echo, ${say}] } }, { id: c, plan: { planId: kid } }]\n`
const KID = 'plan: kid\nversion: 1.0.0\nsteps: [{ id: a, wait: { forMs: 1 } }]\n'

async function published(): Promise<{ readonly folder: string; readonly hashes: readonly string[] }> {
  const folder = folderWith({})
  await using open = await openKeelson({ directory: join(folder, '.keelson') })
  const hashes: string[] = []
  for (const text of [KID, planText('1.0.0', 'one'), planText('2.0.0', 'two')])
    hashes.push(await open.publish(loadPlan(text)))
  return { folder, hashes }
}

describe('a published plan', () => {
  it('is run by its id, its version and its hash, with the children that are published', async () => {
    const { folder, hashes } = await published()
    for (const [name, version] of [
      ['order', '2.0.0'],
      ['order@1.0.0', '1.0.0'],
      [`order@2.0.0@sha256:${hashes[2]}`, '2.0.0'],
    ] as const) {
      const { code, stdout } = await keelson(['run', '--plan-id', name], folder)
      expect([name, code, stdout.split(' ').slice(0, 2)]).toEqual([name, 0, ['order', version]])
    }
    const json = jsonLines((await keelson(['show', 'last', '--json'], folder)).stdout)[0]
    expect(json?.['childPlans']).toEqual([{ planId: 'kid', sha256: hashes[0] }])
  })

  it('is refused where the name leads nowhere, to other bytes, or twice', async () => {
    const { folder, hashes } = await published()
    writeFileSync(join(folder, 'one.yaml'), planText('1.0.0', 'one'))
    const codes = async (...args: readonly string[]): Promise<string> => {
      const { stderr } = await keelson(['run', ...args], folder)
      return stderr.split(/\s/)[0] ?? ''
    }
    expect(await codes('--plan-id', 'nothing')).toBe('PLAN_NOT_FOUND')
    expect(await codes('--plan-id', `order@sha256:${'a'.repeat(64)}`)).toBe('PLAN_INTEGRITY_VALIDATION_FAILED')
    expect(await codes('--plan-id', `order@1.0.0@sha256:${hashes[2]}`)).toBe('PLAN_INTEGRITY_VALIDATION_FAILED')
    expect(await codes('--plan-id', 'a@b@c')).toBe('USAGE')
    expect(await codes('one.yaml', '--plan-id', 'order')).toBe('USAGE')
    expect(await codes()).toBe('USAGE')
  })

  it('is held to a lock as a file is, and show says what it may touch', async () => {
    const { folder } = await published()
    const refused = await keelson(['run', '--plan-id', 'order', '--locked', '--json'], folder)
    expect(jsonLines(refused.stdout)[0]?.['problems']).toMatchObject([
      { code: 'RUN_LOCKED', hint: 'to allow all of it: --allow-program=echo --allow-plan=kid' },
    ])
    const flags = ['--locked', '--allow-program=echo', '--allow-plan=kid']
    expect((await keelson(['run', '--plan-id', 'order', ...flags], folder)).code).toBe(0)
    const shown = await keelson(['show', 'last'], folder)
    expect(shown.stdout).toContain('locked   it may touch nothing but programs echo; plans kid')
    const json = jsonLines((await keelson(['show', 'last', '--json'], folder)).stdout)[0]
    expect(json?.['locked']).toMatchObject({ programs: ['echo'], plans: ['kid'], hosts: [] })
    const why = await keelson(['why', 'last', 'say'], folder)
    expect(why.stdout).toContain('locked   it may touch nothing but programs echo; plans kid')
    const told = jsonLines((await keelson(['why', 'last', 'say', '--json'], folder)).stdout)[0]
    expect(told?.['locked']).toMatchObject({ programs: ['echo'] })
  })
})
