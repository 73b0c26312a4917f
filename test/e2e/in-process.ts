/**
 * A command answered in the process of the test, by the built program and through the entry that its process uses: for questions about what
 * is printed, of which tests ask thousands. What concerns the process (exit, signals, start) is asked of a process: `command.ts`.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ROOT } from '../../scripts/terminal.ts'
import type { Finished, Variables } from './command.ts'

interface Built {
  answer(args: readonly string[]): Promise<number>
}

/** Not the test runner's import, which would transform the built files again. */
const load = createRequire(import.meta.url)
const HIDDEN = ['CI', 'NO_COLOR'] as const
let last: Promise<unknown> = Promise.resolve()

/** One at a time: the streams, the folder and the environment belong to the whole process. */
export function keelsonHere(args: readonly string[], cwd: string, variables: Variables = {}): Promise<Finished> {
  const answered = last.then(() => answeredHere(args, cwd, variables))
  last = answered.catch(() => undefined)
  return answered
}

async function answeredHere(args: readonly string[], cwd: string, variables: Variables): Promise<Finished> {
  const { answer } = load(join(ROOT, 'dist', 'edge', 'cli', 'main.js')) as Built
  const told = { stdout: '', stderr: '' }
  const changed = [...HIDDEN, ...Object.keys(variables)]
  const before = { cwd: process.cwd(), env: changed.map((name) => [name, process.env[name]] as const) }
  const streams = (['stdout', 'stderr'] as const).map((name) => ({ name, write: process[name].write }))
  const known = new Set(streams.flatMap(({ name }) => process[name].listeners('error')))
  process.chdir(cwd)
  for (const name of HIDDEN) delete process.env[name]
  Object.assign(process.env, variables)
  for (const { name } of streams) process[name].write = keeping((text) => (told[name] += text))
  try {
    return { code: await answer(args), ...told }
  } finally {
    for (const { name, write } of streams) {
      process[name].write = write
      for (const one of process[name].listeners('error'))
        if (!known.has(one)) process[name].off('error', one as () => void)
    }
    for (const [name, value] of before.env)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    process.chdir(before.cwd)
  }
}

function keeping(take: (text: string) => void): typeof process.stdout.write {
  return (chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
    take(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'))
    const done = rest.findLast((one) => typeof one === 'function') as (() => void) | undefined
    if (done !== undefined) queueMicrotask(done)
    return true
  }
}
