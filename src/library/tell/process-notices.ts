/**
 * What a process says about itself while it drives runs: that its clock was set, that a step kept it from working. To whoever
 * asked for it, or else as a warning; and as a line of its log.
 */
import type { ClockJump } from '../../core/clock-jumps.ts'
import { problem } from '../../core/problems/problem.ts'
import { visibleJson } from '../../core/visible-text.ts'
import type { LoopBlock } from '../../ports/loop-guard.ts'
import { warnOfProblem } from './receipt-service.ts'

export interface NoticeOptions {
  /** Told when the wall clock was set while this process drives runs. Default: a warning. */
  readonly onClockJump?: (jump: ClockJump) => void
  /** Told afterwards when a step's code kept the event loop for 5 s or more; meanwhile a warning on stderr names it. */
  readonly onLoopBlocked?: (block: LoopBlock) => void
  readonly log?: (line: string) => void
}

export function jumpTeller({ onClockJump = warnOfJump, log }: NoticeOptions): (jump: ClockJump) => void {
  return (jump) => tell(log, { event: 'clock.jumped', ...inWords(jump) }, () => onClockJump(jump))
}

export function blockTeller({ onLoopBlocked, log }: NoticeOptions): (block: LoopBlock) => void {
  return (block) => tell(log, { event: 'loop.blocked', ...block }, () => onLoopBlocked?.(block))
}

/** Nothing that a listener throws reaches the engine. */
function tell(log: NoticeOptions['log'], line: Readonly<Record<string, unknown>>, listener: () => void): void {
  try {
    log?.(visibleJson(JSON.stringify({ timestamp: new Date().toISOString(), level: 'warn', ...line })))
    listener()
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    warnOfProblem(problem('LISTENER_FAILED', `a listener failed: ${why}`))
  }
}

function inWords({ from, to, byMs }: ClockJump): Readonly<Record<string, unknown>> {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), byMs: Math.round(byMs) }
}

function warnOfJump({ from, to, byMs }: ClockJump): void {
  const way = byMs > 0 ? 'forward' : 'back'
  const seconds = Math.round(Math.abs(byMs) / 1000)
  const [before, after] = [from, to].map((instant) => new Date(instant).toISOString())
  const told = `the clock was set ${way} by ${seconds} s, from ${before} to ${after}; what is meant by elapsed time goes on by elapsed time`
  warnOfProblem(problem('CLOCK_JUMPED', told))
}
