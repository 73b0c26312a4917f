/** Why a step is done again by a fork, in the words that people read. */
import type { AgainReason } from './standing.ts'

export function againWords(reason: AgainReason): string {
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
    case 'changed':
      return `changed: ${someOf(reason.fields)}`
    case 'reads':
      return `another ${someOf(reason.fields)}`
    case 'approval':
      return `its approval is for one dispatch of ${reason.stepId}`
    case 'after':
      return `after ${reason.stepId}`
  }
}

const FIELDS_NAMED = 3

function someOf(fields: readonly string[]): string {
  const more = fields.length > FIELDS_NAMED ? ` and ${fields.length - FIELDS_NAMED} more` : ''
  return `${fields.slice(0, FIELDS_NAMED).join(', ')}${more}`
}
