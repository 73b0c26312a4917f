/** What a fork takes over, what it does again and why, and which effects that repeats. */
import type { AgainReason } from '../../../core/run/standing.ts'
import type { ForkPreview } from '../../../main.ts'
import type { Terminal } from '../terminal.ts'
import { shortId } from './format.ts'

const NAMED = 12

export function tellForkPreview({ taken, again, repeats }: ForkPreview, terminal: Terminal): void {
  const { dim, yellow } = terminal.paint
  const steps = [...again].map(([stepId, reason]) => `${stepId} ${dim(`(${reasonText(reason)})`)}`)
  terminal.line(`  takes over   ${listed(taken)}`)
  terminal.line(`  does again   ${listed(steps)}`)
  for (const { stepId, effect, inDoubt, inRunId } of repeats) {
    const by = inRunId === undefined ? '' : ` by run ${shortId(inRunId)}`
    const what = inDoubt ? `may have been done already${by}` : `was done already${by} and is not undone`
    terminal.line(`  ${yellow('!')} ${stepId} ${what}${effect === 'irreversible' ? ', and cannot be undone' : ''}`)
  }
}

export function forkPreviewJson({ taken, again, repeats }: ForkPreview): object {
  return {
    taken,
    again: [...again].map(([stepId, reason]) => ({ stepId, why: reasonText(reason) })),
    repeats: repeats.map(({ reason: _reason, ...told }) => told),
  }
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'nothing'
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  return `${names.slice(0, NAMED).join(', ')}${more}`
}

function reasonText(reason: AgainReason): string {
  switch (reason.kind) {
    case 'unfinished':
      return 'not finished'
    case 'undone':
      return 'undone'
    case 'not-undone':
      return 'could not be undone'
    case 'skipped-by-hand':
      return 'skipped by hand'
    case 'asked':
      return 'asked for'
    case 'new':
      return 'new in this plan'
    case 'after':
      return `after ${reason.stepId}`
  }
}
