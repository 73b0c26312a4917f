/** Faults planted in what holds over a run and its children: approvals, and who did what. */
import type { Mutant } from './mutant.ts'

const catcher = 'test/security/family-approvals.test.ts'

export const FAMILY: readonly Mutant[] = [
  {
    name: 'a child is not told what was approved',
    file: 'app/start/start-child.ts',
    find: 'approved: approvedFor(run.state, runId, found.unit),',
    replace: '',
    catcher,
  },
  {
    name: 'a child that is yet to start binds nothing',
    file: 'core/run/people/approvals.ts',
    find: "return bindsChildren && graph.kinds[index] === 'plan' &&",
    replace: "return !bindsChildren && graph.kinds[index] === 'plan' &&",
    catcher,
  },
  {
    name: 'what leads to an approved step is skipped',
    file: 'core/run/signals/rules.ts',
    find: 'return refusal === undefined ? feedsApproved(state, unit) : { refuse: refusal.code, why: refusal.why }',
    replace: 'return refusal === undefined ? undefined : { refuse: refusal.code, why: refusal.why }',
    catcher,
  },
  {
    name: 'an approval above releases as many dispatches as it likes',
    file: 'core/run/people/approvals.ts',
    find: 'return own.length > 0 ? own : (state.approved?.approvals ?? [])',
    replace: 'return own',
    catcher,
  },
  {
    name: 'one approval above is for many',
    file: 'app/start/start-child.ts',
    find: 'approved: approvedFor(run.state, runId, found.unit),',
    replace: 'approved: approvedFor(run.state, runId, { ...found.unit, item: -1 }),',
    catcher,
  },
  {
    name: 'a fork of a child needs no approval',
    file: 'app/start/fork-run.ts',
    find: '  refuseUnapproved(fork)\n',
    replace: '  if (request.row.runId === "") refuseUnapproved(fork)\n',
    catcher,
  },
  {
    name: 'a fork of a rejected run waits for nobody',
    file: 'core/run/fork/approval.ts',
    find: "if (isUnapproved) return standing.taken.length === 0 ? 'waits' : 'refused'",
    replace: "if (isUnapproved) return 'none'",
    catcher: 'test/security/rejected-runs.test.ts',
  },
  {
    name: 'a fork of a fork forgets that it was approved in the queue',
    file: 'core/run/fork/approval.ts',
    find: "if (state.approvedBy === '' && state.approved?.inQueue === undefined) return 'none'",
    replace: "if (state.approvedBy === '') return 'none'",
    catcher: 'test/security/rejected-runs.test.ts',
  },
  {
    name: 'who changed a child is nobody to its parent',
    file: 'core/run/decide/outcome.ts',
    find: 'const told = people === undefined ? {} : { people }',
    replace: 'const told = people === undefined || people.isCut !== true ? {} : { people }',
    catcher,
  },
  {
    name: 'a child is started again after it used the approval',
    file: 'app/start/spent-children.ts',
    find: 'if (row !== undefined && (await hasDispatched(services, advancer, row)))',
    replace: 'if (row !== undefined && attempt < 0 && (await hasDispatched(services, advancer, row)))',
    catcher: 'test/security/approvals.test.ts',
  },
]
