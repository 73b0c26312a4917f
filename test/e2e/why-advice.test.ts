/** What `why` advises works: every command it prints is typed into a shell as it stands. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, keelson, linesOf } from './command.ts'
import { runChild } from '../fixtures/child.ts'

const STEPS = `
export const list = () => [1, 2, 3]
export const one = ({ i }) => { if (i === 3) throw new Error('no third'); return i }
export const bad = () => { throw Object.assign(new Error('nope'), { status: 404 }) }
export const hang = () => new Promise(() => {})
`
const MANY = `plan: many
version: 1.0.0
policy: { onFailure: continue, retry: { maxAttempts: 1 } }
steps:
  - { id: list, run: list, dependsOn: [] }
  - { id: fan, run: one, forEach: steps.list.output, dependsOn: [list], with: { i: "\${item}" } }
  - { id: bad, run: bad, dependsOn: [], fallback: { run: bad }, fallbackOn: [permanent, exhausted] }
  - { id: after, run: list, dependsOn: [bad] }
  - { id: later, run: list, dependsOn: [after] }
`
const HELD = `plan: held
version: 1.0.0
policy: { onFailure: hold, retry: { maxAttempts: 1 } }
steps:
  - { id: list, run: list, dependsOn: [] }
  - { id: fan, run: one, forEach: steps.list.output, dependsOn: [list], with: { i: "\${item}" } }
  - { id: ship, run: hang, effect: irreversible, timeoutMs: 50, dependsOn: [] }
  - { id: ask, dependsOn: [], manual: { title: look, assignees: [ana] } }
  - { id: mail, run: list, dependsOn: [ship] }
`

const MINUTES = 180_000

beforeAll(ensureBuilt)

const advised = (text: string): readonly string[] =>
  linesOf(text)
    .map((line) => line.trim())
    .filter((line) => line.startsWith('keelson '))

/** In a copy of the folder: each command meets the run as `why` saw it. */
function typed(command: string, folder: string): { readonly status: number | null; readonly told: string } {
  const copy = mkdtempSync(join(tmpdir(), 'keelson-advice-'))
  try {
    cpSync(folder, copy, { recursive: true })
    const shell = `keelson() { "${process.execPath}" "${join(ROOT, 'bin', 'keelson.js')}" "$@"; }\n${command}`
    const { status, stdout, stderr } = runChild('sh', ['-c', shell], { cwd: copy })
    return { status, told: stdout + stderr }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

async function tellsAndWorks(folder: string, slots: readonly string[]): Promise<string> {
  let all = ''
  for (const slot of slots) all += (await keelson(['why', 'last', slot], folder)).stdout
  for (const command of new Set(advised(all))) {
    const { status, told } = typed(command, folder)
    expect({ command, status, told }).toMatchObject({ status: 0 })
  }
  return all
}

it('of a failed run: the failed ancestor, the fallback, the items', { timeout: MINUTES }, async () => {
  const folder = folderWith({ 'p.yaml': MANY, 'keelson.steps.ts': STEPS })
  await keelson(['run', 'p.yaml'], folder)
  const told = await tellsAndWorks(folder, ['fan', 'fan[2]', 'bad', 'after', 'later'])
  expect(told).toMatch(/its fallback failed too, in attempt 1 with HANDLER_FAILED \(status 404\) "nope"/)
  expect(told).toMatch(/later was skipped\n.*\n {2}2 {2}bad, which it needs, failed in attempt 1/)
  expect(told).toMatch(/fan\[2\] failed in attempt 1 with HANDLER_FAILED "no third"/)
})

it(
  'of a held run: what may have happened and its three ways out, and a step for its item',
  { timeout: MINUTES },
  async () => {
    const folder = folderWith({ 'p.yaml': HELD, 'keelson.steps.ts': STEPS })
    const run = new Command(['run', 'p.yaml'], folder)
    await run.shows(/ship.*INDETERMINATE/)
    await run.shows(/fan .*ITEMS_FAILED/)
    run.kill('SIGKILL')
    await run.finished
    const told = await tellsAndWorks(folder, ['fan', 'fan[2]', 'ship', 'mail', 'ask'])
    expect(told).toContain('nobody knows whether it happened: attempt 1 began at')
    for (const way of ['skip-step --step ship', 'retry-step --step ship', 'cancel', 'retry-step --step fan'])
      expect(advised(told).join('\n')).toContain(way)
    expect(advised(told).join('\n')).not.toMatch(/-step --step '?fan\[/)
    const { code, stderr } = await keelson(['signal', 'last', 'retry-step', '--step', 'fan[2]'], folder)
    expect(code).toBe(2)
    expect(stderr).toContain('retry-step --step fan tries all failed items of fan again')
  },
)
