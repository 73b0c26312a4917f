/**
 * Runs one program: no shell, its own environment, its own process group. When asked to stop, the whole group gets
 * SIGTERM and, if it still exists after the grace period, SIGKILL; what a program leaves running in its group ends with
 * it.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { resolve as resolvePath } from 'node:path'
import { LIMITS } from '../../core/limits.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import type { CommandEnd, CommandRequest, Processes } from '../../ports/processes.ts'
import type { Timers } from '../../ports/timers.ts'
import { firstBytes, lastBytes } from './captured-output.ts'
import { behindGate, findProgram, openGate } from './gate.ts'
import { groupBegan, groupEnded, killGroup, startKeeper } from './process-groups.ts'

export interface CommandParts {
  /** Where a command runs that names no folder. */
  readonly cwd: string
  /** The only variable a program gets in addition to those of the plan. */
  readonly path: string
  readonly timers: Pick<Timers, 'after'>
}

/** How long processes outside its group may keep the output of an ended program open. */
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
  { argv, env, stdin, spareBytes = 0, ...own }: CommandRequest,
  signal: AbortSignal,
  resolve: (end: CommandEnd) => void,
  reject: (thrown: unknown) => void,
): void {
  const [program, ...args] = argv
  const folder = resolvePath(cwd, own.cwd ?? '.')
  startKeeper()
  const environment = { PATH: path, ...env }
  const child = startable(program, () => {
    const gated = behindGate(findProgram(program, folder, environment.PATH), args)
    return spawn(gated.file, gated.args, {
      cwd: folder,
      env: environment,
      detached: true,
      shell: false,
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'pipe'],
    })
  })
  const stdout = firstBytes(LIMITS.commandOutputBytes, spareBytes)
  const stderr = lastBytes(LIMITS.commandOutputBytes, spareBytes)
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
      stdoutBeyond: stdout.spare(),
      stderr: stderr.text(),
      stderrTruncated: stderr.truncated(),
      stderrReplaced: stderr.replaced(),
      stderrBefore: stderr.spare(),
    })
  })
  if (child.pid !== undefined) groupBegan(child.pid)
  openGate(child)
  feed(child, stdin)
}

/** A program may close its input unread; that is no error. */
function feed(child: ChildProcess, stdin: string | undefined): void {
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(stdin)
}

/** An argument with a NUL, a folder that is a file: Node throws some of these errors and emits the others. */
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
  /** Asks the whole group to end; after the grace period it is killed. */
  ask(): void
  leaderEnded(): void
  /** Nobody writes to the output any more: processes that are still there should not be. */
  ended(): void
}

/** A program that was asked to stop may end before its children: they have the same grace period to clean up. */
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
