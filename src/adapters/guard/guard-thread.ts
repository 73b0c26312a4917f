/**
 * The thread that watches the event loop. It counts its own ticks without a beat of the loop, not the time: a process
 * that was suspended as a whole was not stuck. It writes to stderr itself, because output through the loop would wait
 * too.
 */
import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { problem } from '../../core/problems/problem.ts'
import { visibleText } from '../../core/visible-text.ts'
import type { LeaseRenewal, LeaseRenewer, LoopBlock, OpenRenewer } from '../../ports/loop-guard.ts'
import { SharedBeat } from './shared-beat.ts'

export interface GuardData {
  readonly buffer: SharedArrayBuffer
  readonly owner: string
  readonly leaseMs: number
  readonly tickMs: number
  readonly warnAfterMs: number
  readonly renewal?: LeaseRenewal
}

const AGAIN_MS = 60_000

const data = workerData as GuardData
const shared = new SharedBeat(data.buffer)
/** Early: the loop may have renewed the leases long before it got stuck. */
const renewEveryMs = data.leaseMs / 6
let beats = shared.beats
let stuckMs = 0
let renewedAt = 0
let toldAt: number | undefined
let renewing = false
let renewer: LeaseRenewer | undefined

function tick(): void {
  if (shared.beats !== beats || shared.atWork === 0) {
    if (toldAt !== undefined) parentPort?.postMessage({ forMs: stuckMs, steps: shared.steps } satisfies LoopBlock, [])
    beats = shared.beats
    stuckMs = 0
    renewedAt = 0
    toldAt = undefined
    return
  }
  stuckMs += data.tickMs
  if (stuckMs - renewedAt >= renewEveryMs && !renewing) void renew()
  if (stuckMs >= (toldAt === undefined ? data.warnAfterMs : toldAt + AGAIN_MS)) warn()
}

async function renew(): Promise<void> {
  const { renewal, owner, leaseMs } = data
  if (renewal === undefined) return
  renewing = true
  try {
    renewer ??= await ((await import(renewal.module)) as { readonly openRenewer: OpenRenewer }).openRenewer(
      renewal.settings,
    )
    await renewer.renew(owner, leaseMs)
    renewedAt = stuckMs
  } catch {
    // A store that does not answer is asked again at the next tick; the lease lasts for several.
  } finally {
    renewing = false
  }
}

function warn(): void {
  toldAt = stuckMs
  const [first, ...others] = shared.steps
  const seconds = Math.round(stuckMs / 1000)
  const who =
    first === undefined ? 'the code of this program' : `step '${first.step}' of run ${first.runId}${orOne(others)}`
  const told = `${who} has kept the event loop of this process busy for ${seconds} s: its timeouts, signals and other runs wait; \`isolation: thread\` would keep it apart`
  const { code, message } = problem('LOOP_BLOCKED', told)
  writeSync(2, `(keelson:${process.pid}) [${code}] Warning: ${visibleText(message)}\n`)
}

function orOne(others: LoopBlock['steps']): string {
  if (others.length === 0) return ''
  return ` (or one begun before it: ${others.map(({ step, runId }) => `'${step}' of ${runId}`).join(', ')})`
}

setInterval(tick, data.tickMs)
