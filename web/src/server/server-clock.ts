/** What time it is by the clock of the server, as the dates of its answers tell: the clock of a browser may be wrong by hours. */
let aheadMs = 0
/** A date tells whole seconds, and an answer is on its way for a while: less than this is no difference. */
const TOLERANCE_MS = 3_000

/** `date`: the header of an answer that has just come. */
export function noteServerTime(date: string | null): void {
  const ahead = Date.parse(date ?? '') - Date.now()
  if (Math.abs(ahead - aheadMs) > TOLERANCE_MS) aheadMs = ahead
}

export function serverNow(): number {
  return Date.now() + aheadMs
}
