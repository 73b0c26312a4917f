/** Time zones by name, from the data that Node brings. */
import type { ZoneOffset } from '../../core/schedule/occurrences.ts'
import { BoundedCache } from '../schemas/bounded-cache.ts'

const KNOWN = new BoundedCache<string, ZoneOffset>(1_000)

/** Undefined for what is no zone. */
export function offsetOf(zone: string): ZoneOffset | undefined {
  const known = KNOWN.get(zone)
  if (known !== undefined) return known
  const made = zone === 'UTC' ? () => 0 : offsetIn(zone)
  if (made !== undefined) KNOWN.set(zone, made)
  return made
}

function offsetIn(zone: string): ZoneOffset | undefined {
  // An offset such as +02:00 has no summer: whoever means one writes a zone.
  if (!/^[A-Za-z]/.test(zone)) return undefined
  let clocks: Intl.DateTimeFormat
  try {
    clocks = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    return undefined
  }
  return byHour((instant) => {
    const shown = new Map(clocks.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = (
      ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
    ).map((name) => shown.get(name))
    const local = Date.UTC(year, month - 1, day, hour, minute, second)
    // The clocks show no milliseconds.
    return local - Math.floor(instant / 1_000) * 1_000
  })
}

const HOUR_MS = 3_600_000
const HOURS_KEPT = 10_000

/** To ask the clocks is slow. An hour that begins and ends with the same offset has it throughout. */
function byHour(exact: ZoneOffset): ZoneOffset {
  const hours = new BoundedCache<number, number | 'changes'>(HOURS_KEPT)
  return (instant) => {
    const hour = Math.floor(instant / HOUR_MS)
    let known = hours.get(hour)
    if (known === undefined) {
      const first = exact(hour * HOUR_MS)
      known = first === exact((hour + 1) * HOUR_MS) ? first : 'changes'
      hours.set(hour, known)
    }
    return known === 'changes' ? exact(instant) : known
  }
}
