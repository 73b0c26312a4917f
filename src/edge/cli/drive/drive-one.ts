/** Shows one run that this process drives (or only watches) to its end, and reports how it ended. */
import type { Keelson, RunHandle } from '../../../main.ts'
import type { Options } from '../terminal/command.ts'
import type { EarlySignals } from '../progress/early-signals.ts'
import type { Doorbell } from '../progress/follow.ts'
import type { Progress } from '../progress/progress.ts'
import { forgetSource } from '../files/sources.ts'
import { watchDriven } from '../progress/watch-driven.ts'
import { showToEnd } from './show-to-end.ts'
import { standsStill } from './standstill.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface OneRun {
  readonly keelson: Keelson
  readonly handle: RunHandle
  readonly doorbell: Doorbell
  /** Leaves the run when only a person can move it: whoever started it waits for them. */
  readonly leavesStill: boolean
  readonly early?: EarlySignals
  /** Other processes execute it: reported when there are none. */
  readonly isElsewhere?: boolean
  readonly options: Options
  readonly terminal: Terminal
}

export async function driveOne(one: OneRun): Promise<number> {
  const { keelson, handle, doorbell, leavesStill, early, isElsewhere = false, options, terminal } = one
  const watch = await watchDriven(keelson, handle)
  let listen: NodeJS.Timeout | undefined
  try {
    return await showToEnd({
      watch,
      doorbell,
      hint: HINT,
      ...(early === undefined ? {} : { early }),
      ...(leavesStill ? { standsStill } : {}),
      ...(isElsewhere
        ? { begun: (progress) => (listen = setTimeout(() => void noteDeserted(keelson, progress), LISTEN_MS)) }
        : {}),
      ended: () => forgetSource(options.dir, handle.row),
      options,
      terminal,
    })
  } finally {
    clearTimeout(listen)
  }
}

/** Not at once: a worker that was just started may not be ready yet. */
const LISTEN_MS = 3_000

/** A server that cannot be asked now says nothing about its workers. */
async function noteDeserted(keelson: Keelson, progress: Progress): Promise<void> {
  const queue = await keelson.queueWithoutWorker().catch(() => undefined)
  if (queue !== undefined)
    progress.note(`no worker listens on ${queue}: start one with \`keelson worker --engine temporal\``)
}

const HINT = 'Ctrl-C leaves it for later, twice cancels (5 s grace)'
