/** How long to wait before a connection is tried again: 5, 10, 20, 40, then always 60 seconds (API-08). */
const FIRST_SECONDS = 5
const MOST_SECONDS = 60

/** `attempt` counts from 0. */
export function backoffSeconds(attempt: number): number {
  return Math.min(FIRST_SECONDS * 2 ** attempt, MOST_SECONDS)
}
