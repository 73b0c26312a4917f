/** A file that has the name of a child plan and is not the one that is pinned: it is told, and nothing of it is used. */
import { beforeAll, describe, expect, it } from 'vitest'
import { loadPlan } from '../../src/main.ts'
import { ensureBuilt } from '../e2e/built.ts'
import { folderWith, jsonLines, keelson, linesOf } from '../e2e/command.ts'

beforeAll(ensureBuilt)

const KID = 'plan: kid\nversion: 1.0.0\nsteps: [{ id: call, command: { argv: [git, status] } }]\n'
/** What the attacker laid there: harmless to look at. */
const OTHER = 'plan: kid\nversion: 1.0.0\nsteps: [{ id: rest, wait: { forMs: 1 } }]\n'
const parent = (...refs: readonly string[]): string =>
  `plan: p\nversion: 1.0.0\nsteps:\n${refs.map((ref, at) => `  - { id: s${at}, plan: ${ref} }\n`).join('')}`

const pin = loadPlan(KID).sha256
const other = loadPlan(OTHER).sha256

async function touched(folder: string): Promise<readonly string[]> {
  const { code, stdout } = await keelson(['plan', 'check', 'p.yaml'], folder)
  expect(code).toBe(0)
  return linesOf(stdout)
}

describe('plan check', () => {
  it('says that the file of a pinned child plan has other bytes, and lists nothing of it', async () => {
    const folder = folderWith({ 'p.yaml': parent(`{ planId: kid, sha256: ${pin} }`), 'kid.yaml': OTHER })
    const why = `its bytes have the hash ${other}, not ${pin}`
    expect((await touched(folder)).slice(2)).toEqual([
      'What it can touch',
      `  plans   kid   step s0, pinned to ${pin.slice(0, 12)}…   ! not in this list: kid.yaml is another plan, ${why}`,
    ])
    const lines = jsonLines((await keelson(['plan', 'check', 'p.yaml', '--json'], folder)).stdout)
    expect(lines).toEqual([
      expect.objectContaining({ planId: 'p', unused: [{ file: 'kid.yaml', plan: 'kid', sha256: pin, why }] }),
    ])
  })

  it.each([
    ['of another version', '{ planId: kid, planVersion: 2.0.0 }', KID, "its planVersion is '1.0.0', not '2.0.0'"],
    ['of another id', '{ planId: kid }', KID.replace('kid', 'cat'), "its planId is 'cat', not 'kid'"],
    ['of another format', '{ planId: kid, schemaVersion: v1.1 }', KID, "its schemaVersion is 'v1.0', not 'v1.1'"],
    ['that is no plan', `{ planId: kid, sha256: ${pin} }`, 'plan: kid\nsteps: [', 'it is no plan that could be read'],
  ])('says so of a file %s', async (_what, ref, kid, why) => {
    const lines = await touched(folderWith({ 'p.yaml': parent(ref), 'kid.yaml': kid }))
    expect([lines.length, lines.at(-1)?.endsWith(`! not in this list: kid.yaml is another plan, ${why}`)]).toEqual([
      4,
      true,
    ])
  })

  it('lists both where one step pins a plan and another takes what the file says', async () => {
    const refs = [`{ planId: kid, sha256: ${other} }`, '{ planId: kid }', `{ planId: kid, sha256: ${pin} }`]
    const lines = await touched(folderWith({ 'p.yaml': parent(...refs), 'kid.yaml': KID }))
    expect(lines.slice(3)).toEqual([
      'What it can touch',
      '  programs   git   step call',
      `  plans      kid   step s0, pinned to ${other.slice(0, 12)}…   ! not in this list: kid.yaml is another plan, its bytes have the hash ${pin}, not ${other}`,
      '             kid   step s1, not pinned',
      `             kid   step s2, pinned to ${pin.slice(0, 12)}…`,
    ])
  })
})

it('run publishes nothing of such a file, says so, and is held to the pin', async () => {
  const folder = folderWith({ 'p.yaml': parent(`{ planId: kid, sha256: ${pin} }`), 'kid.yaml': OTHER })
  const { code, stderr } = await keelson(['run', 'p.yaml'], folder)
  expect([code, linesOf(stderr).slice(0, 2)]).toEqual([
    2,
    [
      `! kid is not taken from its file: kid.yaml is another plan, its bytes have the hash ${other}, not ${pin}`,
      'PLAN_NOT_FOUND  no plan kid, which p@1.0.0 runs as a child, is published here',
    ],
  ])
})
