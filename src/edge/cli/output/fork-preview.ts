/** What a fork takes over, what it repeats and why, and which effects that repeats. */
import { againWords } from '../../../core/run/fork/again-words.ts'
import { snapshotOf, undoneItemsOf } from '../../../core/view/show/snapshot-of.ts'
import type { StepSnapshot } from '../../../core/view/fold/run-snapshot.ts'
import type { ReadableRun } from '../../../library/read/readable-runs.ts'
import type { ForkPreview } from '../../../main.ts'
import { isNotUndone } from '../progress/picture.ts'
import { watchFolded } from '../progress/run-watch.ts'
import { plural, shortId } from '../terminal/format.ts'
import type { Terminal } from '../terminal/terminal.ts'

const NAMED = 12

const APPROVAL_TOLD = {
  waits: 'the run was to wait for a person: the fork waits in the queue for approval',
  refused: 'the run was to wait for a person: this fork is refused; start the plan anew with --queue --needs-approval',
} as const

export function tellForkPreview(preview: ForkPreview, terminal: Terminal): void {
  const { taken, again, repeats, dropped, approval, input } = preview
  const { dim, yellow } = terminal.paint
  if (input !== undefined) terminal.line(`  other input  ${input.length === 0 ? 'all of it' : listed(input)}`)
  const steps = [...again].map(([stepId, reason]) => `${stepId} ${dim(`(${againWords(reason)})`)}`)
  terminal.line(`  takes over   ${listed(taken)}`)
  terminal.line(`  does again   ${listed(steps)}`)
  if (dropped.length > 0)
    terminal.line(
      `  ${yellow('!')} ${listed(dropped)} ${dropped.length === 1 ? 'is' : 'are'} not in this plan: what was done stays`,
    )
  for (const { stepId, effect, inDoubt, inRunId } of repeats) {
    const by = inRunId === undefined ? '' : ` by run ${shortId(inRunId)}`
    const what = inDoubt ? `may have been done already${by}` : `was done already${by} and is not undone`
    terminal.line(`  ${yellow('!')} ${stepId} ${what}${effect === 'irreversible' ? ', and cannot be undone' : ''}`)
  }
  if (approval !== 'none') terminal.line(`  ${yellow('!')} ${APPROVAL_TOLD[approval]}`)
}

export function forkPreviewJson({ taken, again, repeats, dropped, approval, plan, input }: ForkPreview): object {
  return {
    ...(plan === undefined ? {} : { plan }),
    ...(input === undefined ? {} : { otherInput: input }),
    taken,
    again: [...again].map(([stepId, reason]) => ({ stepId, why: againWords(reason) })),
    repeats: repeats.map(({ reason: _reason, ...told }) => told),
    dropped,
    approval,
  }
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'nothing'
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  return `${names.slice(0, NAMED).join(', ')}${more}`
}

/** Of an ended run: steps whose compensation failed or was interrupted. Their effects still exist, and the fork repeats them. */
export async function forkWarnings(old: ReadableRun): Promise<readonly string[]> {
  const watch = await watchFolded(old)
  await watch.pump()
  const { view } = watch
  return snapshotOf(view).steps.flatMap((step) => warningOf(step, undoneItemsOf(view, step.stepId)?.notUndone ?? 0))
}

function warningOf({ stepId, compensation, fallback }: StepSnapshot, left: number): readonly string[] {
  const again = 'what was done is still there, and the new run does it again'
  const isLeft = (one: StepSnapshot['compensation']): boolean => one !== undefined && isNotUndone(one, false)
  const own = left > 0 ? [`${plural(left, 'item')} of ${stepId}`] : isLeft(compensation) ? [stepId] : []
  const names = isLeft(fallback?.compensation) ? [...own, `the fallback of ${stepId}`] : own
  return names.map((name) => `${name} could not be undone: ${again}`)
}
