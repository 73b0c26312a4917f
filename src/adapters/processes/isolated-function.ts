/**
 * A process of its own for one function call. Killed means SIGKILL: no handler of the function can outlive it. What is still
 * alive when this process exits is killed with it.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { StartHost } from '../../ports/isolation.ts'

const QUIET = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--disable-warning=ExperimentalWarning']
const alive = new Set<ChildProcess>()

function killAll(): void {
  for (const child of alive) child.kill('SIGKILL')
}

export const processHost: StartHost = (entry, { message, gone }) => {
  const child = fork(fileURLToPath(entry), [], {
    serialization: 'advanced',
    execArgv: QUIET,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  // Through this process, so that whoever minds its output minds the function's too.
  child.stdout?.on('data', (chunk: Buffer) => process.stdout.write(chunk))
  child.stderr?.on('data', (chunk: Buffer) => process.stderr.write(chunk))
  if (alive.size === 0) process.once('exit', killAll)
  alive.add(child)
  let ended = false
  const end = (why: string): void => {
    if (ended) return
    ended = true
    alive.delete(child)
    if (alive.size === 0) process.off('exit', killAll)
    gone(why)
  }
  child.on('message', message)
  child.once('error', (thrown) => end(thrown.message))
  child.once('exit', (code, signal) => end(signal === null ? `exit code ${String(code)}` : signal))
  return {
    // A message to a process that is just ending is lost; its end is what counts then.
    send: (value) => void child.send(value as object, () => undefined),
    kill: () => void child.kill('SIGKILL'),
  }
}
