/**
 * What a process says about itself while it drives runs: that its clock was set, that a step kept it from working. To whoever
 * asked for it, or else as a warning; and as a line of its log.
 */
import type { ClockJump } from '../../core/clock-jumps.ts'
import { problem } from '../../core/problems/problem.ts'
import { warnOfProblem } from './receipt-service.ts'

export interface NoticeOptions {
  /** Told when the wall clock was set while this process drives runs. Default: a warning. */
  readonly onClockJump?: (jump: ClockJump) => void
  readonly log?: (line: string) => void
}

/** Nothing that a listener throws reaches the engine. */
export function jumpTeller({ onClockJump = warnOfJump, log }: NoticeOptions): (jump: ClockJump) => void {
  return (jump) => {
    const line = { timestamp: new Date(jump.to).toISOString(), level: 'warn', event: 'clock.jumped', ...inWords(jump) }
    try {
      log?.(JSON.stringify(line))
      onClockJump(jump)
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      warnOfProblem(problem('HOOK_FAILED', `a listener failed: ${why}`))
    }
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
