/** How wide the names beside the bars are: as the longest needs, but the bars keep most of the room. */

/** With the mark before it and what is left free around both. */
const LEAST = 96
const BESIDE = 40
/** Of the letters of names, on the average. */
const CHAR = 7
const MOST_OF_ALL = 0.34

export function nameWidthOf(stepIds: readonly string[], width: number): number {
  const longest = stepIds.reduce((most, { length }) => Math.max(most, length), 0)
  return Math.round(Math.max(LEAST, Math.min(longest * CHAR + BESIDE, width * MOST_OF_ALL)))
}
