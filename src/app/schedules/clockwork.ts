/**
 * Looks at schedules when they are due, in as many processes as there are. It sleeps until the next one is due, or until somebody tells
 * it of a change; it looks once in a while all the same, for changes of other processes and for a clock that was set.
 */
import { ClockJumps, steadyNow } from '../../core/clock-jumps.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Timers } from '../../ports/timers.ts'
import { changed, dueOf, scheduleOf } from './record.ts'
import { runSchedule } from './run-schedule.ts'
import type { Starting } from './start-occurrence.ts'

export interface ClockworkWorld extends Starting {
  readonly clock: Clock
  readonly timers: Timers
  readonly tell: (thrown: unknown) => void
}

const PAGE = 50
const ALL = 10_000

export class ScheduleClockwork {
  readonly #world: ClockworkWorld
  readonly #jumps = new ClockJumps()
  #cancelTimer: (() => void) | undefined
  #looking: Promise<void> | undefined
  #again = false
  #isOpen = true
  #works = true
  #mustReconsider = true

  constructor(world: ClockworkWorld) {
    this.#world = world
    this.wake()
  }

  /** Something changed: look now. */
  wake(): void {
    if (!this.#isOpen) return
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (this.#looking !== undefined) {
      this.#again = true
      return
    }
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined
      if (this.#again) this.wake()
    })
  }

  /** Did the last look at the store succeed? */
  working(): boolean {
    return this.#works
  }

  /** What is under way comes to its end. */
  async close(): Promise<void> {
    this.#isOpen = false
    this.#cancelTimer?.()
    await this.#looking
  }

  async #look(): Promise<void> {
    this.#again = false
    const { clock, timers } = this.#world
    let sleepMs: number = LIMITS.scheduleLookMs
    try {
      const jump = this.#jumps.look(clock.now(), steadyNow(clock))
      if (jump !== undefined && jump.byMs < 0) this.#mustReconsider = true
      if (this.#mustReconsider) await this.#reconsider()
      while (this.#isOpen && (await this.#runDue()));
      const next = await this.#world.store.nextScheduleDue()
      if (next !== undefined) sleepMs = Math.min(sleepMs, Math.max(next - clock.now(), 0))
      this.#works = true
    } catch (thrown) {
      this.#works = false
      this.#world.tell(thrown)
    }
    if (this.#isOpen && !this.#again) this.#cancelTimer = timers.after(sleepMs, () => this.wake())
  }

  /** True: there may be more. */
  async #runDue(): Promise<boolean> {
    const { store, clock, tell } = this.#world
    const due = await store.dueSchedules(clock.now(), PAGE)
    let failed = 0
    for (const stored of due) {
      if (!this.#isOpen) return false
      try {
        await runSchedule(this.#world, scheduleOf(stored), () => clock.now())
      } catch (thrown) {
        // Others are not held up; this one is tried again when its claim is over.
        failed += 1
        tell(thrown)
      }
    }
    return due.length === PAGE && failed < PAGE
  }

  /** A clock that was ahead has left instants that are too far away: each schedule is due when it says so now. */
  async #reconsider(): Promise<void> {
    const { store, clock } = this.#world
    const now = clock.now()
    for (const stored of await store.dueSchedules(Number.MAX_SAFE_INTEGER, ALL)) {
      const schedule = scheduleOf(stored)
      const isFar = (schedule.dueAt ?? 0) > now + LIMITS.scheduleClaimMs
      if (isFar && (dueOf(schedule, now) ?? Infinity) < (schedule.dueAt ?? 0))
        await store.putSchedule(
          changed(schedule, { ...schedule.record, done: Math.min(schedule.record.done, now) }, now),
        )
    }
    this.#mustReconsider = false
  }
}
