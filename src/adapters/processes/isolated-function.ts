/**
 * A separate process for one function call, in its own process group: what the function starts ends with it. It is
 * killed with SIGKILL, which no handler of the function can survive. However this process ends, the group ends too.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { StartHost } from '../../ports/isolation.ts'
import { groupBegan, groupEnded, killGroup, startKeeper } from './process-groups.ts'

const QUIET = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--disable-warning=ExperimentalWarning']

export const processHost: StartHost = (entry, { message, gone }) => {
  startKeeper()
  const child = fork(fileURLToPath(entry), [], {
    serialization: 'advanced',
    execArgv: QUIET,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  })
  const { pid } = child
  if (pid !== undefined) groupBegan(pid)
  // Passed through this process, so that code which captures its output captures the function's too.
  child.stdout?.on('data', (chunk: Buffer) => process.stdout.write(chunk))
  child.stderr?.on('data', (chunk: Buffer) => process.stderr.write(chunk))
  const kill = (): void => {
    if (pid !== undefined) killGroup(pid, 'SIGKILL')
  }
  let ended = false
  const end = (why: string): void => {
    if (ended) return
    ended = true
    kill()
    if (pid !== undefined) groupEnded(pid)
    gone(why)
  }
  child.on('message', message)
  child.once('error', (thrown) => end(thrown.message))
  child.once('exit', (code, signal) => {
    const why = signal === null ? `exit code ${String(code)}` : signal
    kill()
    // Its end may be noticed before its last message is read.
    if (child.connected) child.once('disconnect', () => end(why))
    else end(why)
  })
  return {
    // A message to a process that is ending is lost; then its end is what counts.
    send: (value) => void child.send(value as object, () => undefined),
    kill,
  }
}
