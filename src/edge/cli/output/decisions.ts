/** The result of re-deriving a run's decisions, as lines of `keelson verify`. */
import type { DecisionCheck } from '../../../app/rederive/check-decisions.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { plural } from '../terminal/format.ts'

const SHOWN = 5

export function tellDecisions(terminal: Terminal, check: DecisionCheck | undefined): void {
  if (check === undefined) return terminal.line('  decisions        not checked: the log must be whole first')
  const { unchecked, decisions = 0, rederived = 0, erased = [], notDerivable = [], differences = [] } = check
  const { facts = { checked: 0, erased: [] } } = check
  if (unchecked !== undefined) return terminal.line(`  decisions        not checked: ${unchecked.message}`)
  const gone = erased.length > 0 ? `, ${erased.length} of them without their erased data` : ''
  terminal.line(`  decisions        ${plural(decisions, 'decision')} checked, ${rederived} follow from the log${gone}`)
  const lost = facts.erased.length > 0 ? `, ${facts.erased.length} not: their values were erased` : ''
  terminal.line(`  facts            ${plural(facts.checked, 'fact')} derived again from the recorded values${lost}`)
  if (notDerivable.length > 0) {
    terminal.line(`                   ${notDerivable.length} cannot be made again here:`)
    for (const one of notDerivable.slice(0, SHOWN)) terminal.line(`    event ${one.runSeq}: ${one.why}`)
  }
  for (const one of differences.slice(0, SHOWN)) {
    terminal.line(`  ${terminal.paint.red('✖')} event ${one.runSeq} does not follow (${one.code}, cause ${one.cause})`)
    terminal.line(`      expected     ${one.expected}`)
    terminal.line(`      found        ${one.found}`)
  }
}
