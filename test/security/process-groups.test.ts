/** What a plan starts ends with the step and with the command, whatever way the command goes; grandchildren too. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../e2e/built.ts'
import { Command, folderWith, until } from '../e2e/command.ts'

beforeAll(ensureBuilt)

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

function pidsIn(folder: string): readonly number[] {
  try {
    return readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number)
  } catch {
    return []
  }
}

const COMMAND = `plan: p
version: 1.0.0
steps:
  - id: a
    command: { argv: [sh, -c, "echo $$ >> pids; (sh -c 'echo $$ >> pids; sleep 600 & echo $! >> pids; wait' &) ; sleep 600"] }
`
const ISOLATED = 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: loop, isolation: process }]\n'
const STEPS = `import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
export const loop = () => {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  appendFileSync('pids', process.pid + '\\n0\\n' + child.pid + '\\n')
  for (;;);
}
`

describe.each([
  ['a program, what it started and left behind', COMMAND],
  ['a function in a process of its own, in an endless loop, and what it started', ISOLATED],
])('%s', (_name, plan) => {
  it.each(['SIGKILL', 'SIGHUP'] as const)('are gone when the command ends by %s', async (signal) => {
    const folder = folderWith({ 'p.yaml': plan, 'keelson.steps.mjs': STEPS })
    const command = new Command(['run', 'p.yaml'], folder)
    const pids = await until('all have begun', () => {
      const found = pidsIn(folder)
      return found.length === 3 ? found.filter((pid) => pid > 0) : undefined
    })
    expect(pids.every(isAlive)).toBe(true)
    command.kill(signal)
    await command.finished
    await until(`${pids.join(', ')} are gone`, () => !pids.some(isAlive))
    expect(pids.filter(isAlive)).toEqual([])
  })
})

it('a program begins only when its end is cared for, so that a command killed in between leaves none', async () => {
  // It stops the command as its very first act, before the command can do anything more.
  const stopping = COMMAND.replace('echo $$ >> pids;', 'kill -STOP $PPID; echo $PPID >> parent; echo $$ >> pids;')
  const folder = folderWith({ 'p.yaml': stopping })
  const command = new Command(['run', 'p.yaml'], folder)
  const pids = await until('all have begun', () => {
    const found = pidsIn(folder)
    return found.length === 3 ? found : undefined
  })
  process.kill(Number(readFileSync(join(folder, 'parent'), 'utf8')), 'SIGKILL')
  await command.finished
  await until(`${pids.join(', ')} are gone`, () => !pids.some(isAlive))
  expect(pids.filter(isAlive)).toEqual([])
})
