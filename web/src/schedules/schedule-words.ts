/** What a schedule says, in words: what becomes of a run that meets the one before, and of what was missed. */
import type { ScheduleDraft } from './schedule-draft.ts'

export const OVERLAP_WORDS: Readonly<Record<ScheduleDraft['overlap'], string>> = {
  skip: 'skip the new one',
  allow: 'run both',
  queue: 'the new one waits',
  cancelOld: 'cancel the old one',
}

export const CATCH_UP_WORDS: Readonly<Record<ScheduleDraft['catchUp'], string>> = {
  latest: 'the latest of them',
  none: 'none of them',
  all: 'all of them',
}

/** An instant as the clocks of the schedule's zone show it; in UTC where this browser does not know the zone. */
export function inZone(at: string, zone = 'UTC'): string {
  try {
    return clocksOf(zone).format(new Date(at))
  } catch {
    return clocksOf('UTC').format(new Date(at))
  }
}

const KNOWN = new Map<string, Intl.DateTimeFormat>()

function clocksOf(zone: string): Intl.DateTimeFormat {
  const known = KNOWN.get(zone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  })
  KNOWN.set(zone, made)
  return made
}
