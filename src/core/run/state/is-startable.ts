/** Does a run that has not started wait for its start alone, and for nobody's approval? (BPQ-03, BPQ-11) */
import type { RunState } from './state.ts'

export function isStartable({ status, autoApproves }: Pick<RunState, 'status' | 'autoApproves'>): boolean {
  return status === 'APPROVED' || (status === 'PENDING' && autoApproves)
}
