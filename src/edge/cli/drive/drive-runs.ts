/** Shows runs that were adopted or started from the queue: one as a picture, several as lines. */
import { driveMany, type ManyRuns } from './drive-many.ts'
import { driveOne } from './drive-one.ts'

export function driveRuns(many: ManyRuns): Promise<number> {
  const [only, second] = many.runs
  if (only === undefined || second !== undefined) return driveMany(many)
  return driveOne({ ...many, ...only, leavesStill: true })
}
