/** What changed between two plans, in words. */
import type { Plan } from '../../../core/plan/plan.ts'
import { PLACE_OF, type FieldChange, type PlanDiff } from '../../../core/plan/write/diff-plans.ts'
import { actionText } from '../progress/plan-picture.ts'
import { oneLine } from '../terminal/format.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** What steps do is told as far as their plan is at hand. */
export function tellDiff(
  terminal: Terminal,
  diff: PlanDiff,
  { before, after }: { readonly before?: Plan; readonly after: Plan },
): void {
  const { green, red, yellow, bold, dim } = terminal.paint
  const doing = (plan: Plan | undefined, id: string): string => {
    const step = plan?.steps.find(({ stepId }) => stepId === id)
    return step === undefined ? '' : dim(actionText(step))
  }
  for (const field of diff.plan) terminal.line(`${yellow('~')} ${fieldText(field)}`)
  for (const id of diff.removed) terminal.line(`${red('-')} step ${bold(id)} is gone   ${doing(before, id)}`)
  for (const id of diff.added) terminal.line(`${green('+')} step ${bold(id)} is new   ${doing(after, id)}`)
  for (const { stepId, fields } of diff.changed) {
    terminal.line(`${yellow('~')} step ${bold(stepId)}`)
    for (const field of fields) terminal.line(`    ${fieldText(field)}`)
  }
}

const VALUE_CHARS = 60
const valueText = (value: unknown): string => oneLine(JSON.stringify(value), VALUE_CHARS)

function fieldText(change: FieldChange): string {
  const { path, from, to } = change
  if (path === 'order' || path.startsWith(PLACE_OF)) {
    const step = path === 'order' ? '' : `${path.slice(PLACE_OF.length)} `
    return `${step}comes at place ${String(to)} of those in both, not ${String(from)}`
  }
  if (from === undefined) return `${path}: ${valueText(to)}, which was not there`
  return to === undefined
    ? `${path} is gone; it was ${valueText(from)}`
    : `${path}: ${valueText(from)} → ${valueText(to)}`
}
