/**
 * Runs one program: no shell, an environment of its own, a process group of its own. Asked to stop, the whole group gets
 * SIGTERM and, when it is still there after the grace, SIGKILL; what a program leaves running in its group ends with it.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { resolve as resolvePath } from 'node:path'
import { LIMITS } from '../../core/limits.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import type { CommandEnd, CommandRequest, Processes } from '../../ports/processes.ts'
import type { Timers } from '../../ports/timers.ts'
import { firstBytes, lastBytes } from './captured-output.ts'
import { groupBegan, groupEnded, killGroup, startKeeper } from './process-groups.ts'

export interface CommandParts {
  /** Where a command without its own folder runs. */
  readonly cwd: string
  /** The only variable a program gets besides those of the plan. */
  readonly path: string
  readonly timers: Pick<Timers, 'after'>
}

/** How long a program that has ended may leave its output open in other hands: those outside its group. */
const OUTPUT_LEFT_OPEN_MS = 1_000

export function systemProcesses(parts: CommandParts): Processes {
  return {
    async run(command, signal) {
      if (signal.aborted) throw new DOMException('The command was aborted before it began', 'AbortError')
      return new Promise((resolve, reject) => start(parts, command, signal, resolve, reject))
    },
  }
}

function start(
  { cwd, path, timers }: CommandParts,
  { argv, env, stdin, ...own }: CommandRequest,
  signal: AbortSignal,
  resolve: (end: CommandEnd) => void,
  reject: (thrown: unknown) => void,
): void {
  const [program, ...args] = argv
  const folder = resolvePath(cwd, own.cwd ?? '.')
  startKeeper()
  const child = startable(program, () =>
    spawn(program, args, {
      cwd: folder,
      env: { PATH: path, ...env },
      detached: true,
      shell: false,
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    }),
  )
  const stdout = firstBytes(LIMITS.commandOutputBytes)
  const stderr = lastBytes(LIMITS.commandOutputBytes)
  child.stdout?.on('data', stdout.add)
  child.stderr?.on('data', stderr.add)
  const group = groupOf(child, timers)
  const stop = (): void => group.ask()
  signal.addEventListener('abort', stop, { once: true })
  child.once('error', (thrown) => {
    signal.removeEventListener('abort', stop)
    reject(notStarted(program, thrown))
  })
  child.once('exit', () => group.leaderEnded())
  child.once('close', (exitCode, endedBy) => {
    signal.removeEventListener('abort', stop)
    group.ended()
    resolve({
      exitCode,
      signal: endedBy,
      stdout: stdout.text(),
      stdoutTruncated: stdout.truncated(),
      stdoutReplaced: stdout.replaced(),
      stderr: stderr.text(),
      stderrTruncated: stderr.truncated(),
      stderrReplaced: stderr.replaced(),
    })
  })
  if (child.pid !== undefined) groupBegan(child.pid)
  feed(child, stdin)
}

/** A program that does not read its input closes it; that is its right. */
function feed(child: ChildProcess, stdin: string | undefined): void {
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(stdin)
}

/** An argument with a NUL, a folder that is a file: Node throws some of it and emits the rest. */
function startable(program: string, spawned: () => ChildProcess): ChildProcess {
  try {
    return spawned()
  } catch (thrown) {
    throw notStarted(program, thrown)
  }
}

function notStarted(program: string, thrown: unknown): KeelsonError {
  const why = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown)
  const message = `'${program}' could not be started (${why})`
  return new KeelsonError([problem('COMMAND_NOT_STARTED', message)], { cause: thrown })
}

interface Group {
  /** Asks all of it to end; after the grace it is ended. */
  ask(): void
  leaderEnded(): void
  /** Nobody writes to the output any more: whoever is left was not meant to be. */
  ended(): void
}

/** A program that was asked to stop may be gone before what it started: that has the same grace to clean up. */
function groupOf(child: ChildProcess, timers: Pick<Timers, 'after'>): Group {
  let asked = false
  const waits: (() => void)[] = []
  const kill = (): void => {
    if (child.pid !== undefined) killGroup(child.pid, 'SIGKILL')
    waits.push(timers.after(OUTPUT_LEFT_OPEN_MS, () => [child.stdout, child.stderr].forEach((one) => one?.destroy())))
  }
  return {
    ask: () => {
      asked = true
      if (child.pid !== undefined) killGroup(child.pid, 'SIGTERM')
      waits.push(timers.after(LIMITS.cancelGraceMs, kill))
    },
    leaderEnded: () => {
      if (!asked) kill()
    },
    ended: () => {
      for (const cancel of waits) cancel()
      if (child.pid === undefined) return
      killGroup(child.pid, 'SIGKILL')
      groupEnded(child.pid)
    },
  }
}
