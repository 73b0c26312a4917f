/** Names of orchestr8 in expressions of a plan: what they may name, and how they are written there. */
import { isSecretName } from '../../secret-names.ts'

export interface Names {
  readonly steps: ReadonlySet<string>
  /** Variables of the environment that the workflow allows. */
  readonly env: ReadonlySet<string>
  readonly secretEnv: (name: string) => boolean
  /** Told each step that is read. */
  readonly reads: (stepId: string) => void
}

export function namesOf(steps: Iterable<string>, env: Iterable<string>): Names {
  return { steps: new Set(steps), env: new Set(env), secretEnv: isSecretName, reads: () => undefined }
}

/** A name with a hyphen is quoted in a path. */
export function pathName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
}

/** Text as a literal of JMESPath. */
export function quotedText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** How a step ended, in their words: `completed` is what a plan calls `SUCCESS`. */
export function statusThere(step: string): string {
  return `(${step}.status == 'SUCCESS' && 'completed' || lower(${step}.status))`
}

/** Their words for how a step ended, and ours. */
export const STATUSES: ReadonlyMap<string, string> = new Map([
  ['completed', 'SUCCESS'],
  ['failed', 'FAILED'],
  ['skipped', 'SKIPPED'],
])
