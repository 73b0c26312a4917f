/**
 * The names in a steps file according to its text. Nothing of the file runs: a user who only examines a plan has not
 * said that they trust the files beside it.
 */
import { statSync } from 'node:fs'
import { LIMITS } from '../../../core/limits.ts'
import { exportedNames } from '../scan/exported-names.ts'
import { NO_STEPS, type KnownSteps } from './steps-file.ts'
import { readText } from './text-file.ts'

export function seenSteps(path: string | undefined): KnownSteps {
  if (path === undefined) return NO_STEPS
  const stat = statSync(path)
  // A pipe, a device or a huge file is not read to the end; then its names are unknown.
  if (!stat.isFile() || stat.size > LIMITS.stepsScanBytes) return { path, names: [], mayHave: () => true }
  const { names, mayHave } = exportedNames(readText(path, 'STEPS_NOT_LOADED'))
  return { path, names: [...names], mayHave }
}
