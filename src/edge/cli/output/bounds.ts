/** What a run may reach, which child plans it is pinned to, and what its engine was found to lack: for `show`, `why` and checks. */
import type { RunBounds } from '../../../library/read/run-bounds.ts'
import type { ValidationReport } from '../../../main.ts'
import { shortId } from '../terminal/format.ts'
import type { Paint } from '../terminal/paint.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** --json shows the plans beyond this number. */
const PLANS_TOLD = 10

function boundsLines({ locked, childPlans = [] }: RunBounds): readonly string[] {
  const lines = locked === undefined ? [] : [`locked   ${lockText(locked)}`]
  const plans = childPlans
    .slice(0, PLANS_TOLD)
    .map(
      ({ planId, planVersion, sha256 }) =>
        `${planId}${planVersion === undefined ? '' : `@${planVersion}`} sha256 ${shortId(sha256)}`,
    )
  const more = childPlans.length > PLANS_TOLD ? ` and ${childPlans.length - PLANS_TOLD} more` : ''
  return plans.length === 0 ? lines : [...lines, `pinned   ${plans.join(', ')}${more}`]
}

export function tellBounds(terminal: Terminal, bounds: RunBounds): void {
  for (const line of boundsLines(bounds)) terminal.line(`  ${line}`)
}

function lockText(lock: NonNullable<RunBounds['locked']>): string {
  const kinds = (['hosts', 'programs', 'variables', 'secrets', 'plans'] as const).map((kind) =>
    lock[kind].length === 0 ? '' : `${kind} ${lock[kind].join(', ')}`,
  )
  const flags = [lock.code ? 'code' : '', lock.irreversible ? 'what cannot be undone' : '']
  const allowed = [...kinds, ...flags].filter((one) => one !== '')
  return allowed.length === 0 ? 'it may touch nothing' : `it may touch nothing but ${allowed.join('; ')}`
}

/** One line for each finding of a plan on its engine; nothing where nothing was found. */
export function reportLines(report: ValidationReport | undefined, { red, yellow }: Paint): readonly string[] {
  if (report === undefined) return []
  return [
    ...report.errors.map(({ code, message }) => `  ${red('✘')} ${code}  ${message}`),
    ...report.warnings.map(({ code, message }) => `  ${yellow('!')} ${code}  ${message}`),
  ]
}
