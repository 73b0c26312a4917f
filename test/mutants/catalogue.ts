/**
 * The planted faults: one small change each, of the kind a tired person makes, in the decider, the fold, the append path
 * or the engine. `find` is exact text that must stand exactly once in the file, so a fault that no longer fits the code
 * is reported and never passes for a caught one.
 */
export interface Mutant {
  readonly name: string
  /** Under src/. */
  readonly file: string
  readonly find: string
  readonly replace: string
}

const DECIDER: readonly Mutant[] = [
  {
    name: 'starts while paused',
    file: 'core/run/decide/proceed.ts',
    find: "if (state.status !== 'RUNNING') return",
    replace: "if (state.status !== 'RUNNING' && state.status !== 'PAUSED') return",
  },
  {
    name: 'goes on though failFast stopped it',
    file: 'core/run/decide/proceed.ts',
    find: 'if (state.failing) {',
    replace: 'if (state.failing && state.timedOutAt >= 0) {',
  },
  {
    name: 'hold is taken for failFast',
    file: 'core/run/decide/proceed.ts',
    find: "state.graph.plan.policy.onFailure === 'hold' ||",
    replace: '',
  },
  {
    name: 'cancels while work is in flight',
    file: 'core/run/decide/proceed.ts',
    find: 'if (ws.state.inFlight.size > 0 || !closeOpenFans(ws) || !hasRoom(ws)) return',
    replace: 'if (!closeOpenFans(ws) || !hasRoom(ws)) return',
  },
  {
    name: 'completes while work is in flight',
    file: 'core/run/decide/proceed.ts',
    find: 'if (!isIdle(ws.state)) return',
    replace: '',
  },
  {
    name: 'retries beyond maxAttempts',
    file: 'core/run/retry.ts',
    find: 'attempt >= policy.maxAttempts',
    replace: 'attempt > policy.maxAttempts',
  },
  {
    name: 'backoff grows one step too early',
    file: 'core/run/retry.ts',
    find: 'Math.max(0, retry - 1)',
    replace: 'Math.max(0, retry)',
  },
  {
    name: 'retries what is never repeated',
    file: 'core/run/retry.ts',
    find: 'if (NEVER.has(errorClass)) return false',
    replace: '',
  },
  {
    name: 'backoff is not waited for',
    file: 'core/run/timers.ts',
    find: 'heap.timer.dueAt <= active && due.length < limit',
    replace: 'due.length < limit',
  },
  {
    name: 'a pause does not shift backoff',
    file: 'core/run/timers.ts',
    find: '(state.pausedAt >= 0 ? state.pausedAt : at) - state.pausedMs',
    replace: 'at',
  },
  {
    name: 'a condition is not asked',
    file: 'core/run/decide/schedule.ts',
    find: 'if (facts?.condition === false) {',
    replace: 'if (facts?.condition === undefined && facts !== undefined && false) {',
  },
  {
    name: 'more in flight than the limit',
    file: 'core/run/decide/schedule.ts',
    find: 'ws.state.slotsInUse + slotsHeld < ws.state.limit',
    replace: 'ws.state.slotsInUse + slotsHeld <= ws.state.limit',
  },
  {
    name: 'the pause cycle stays one',
    file: 'core/run/decide/pause.ts',
    find: 'attempt: ws.state.pauseCycle + 1',
    replace: 'attempt: 1',
  },
  {
    name: 'a late outcome ends the attempt again',
    file: 'core/run/decide/outcome.ts',
    find: "const open = unit.status === 'RUNNING' && unit.attempt",
    replace: 'const open = unit.attempt',
  },
  {
    name: 'an old attempt ends the new one',
    file: 'core/run/decide/outcome.ts',
    find: 'unit.attempt === report.attempt && !isTerminalRun',
    replace: '!isTerminalRun',
  },
  {
    name: 'a repeat is recorded as late',
    file: 'core/run/decide/outcome.ts',
    find: 'endedBy === report.engineAttempt ||',
    replace: '',
  },
  {
    name: 'undoing does not wait for the hook before',
    file: 'core/run/decide/undo.ts',
    find: "if (current?.status === 'RUNNING') return true",
    replace: '',
  },
]

const FOLD: readonly Mutant[] = [
  { name: 'a slot is never freed', file: 'core/run/evolve/next-state.ts', find: 'next.slotsInUse -= 1', replace: '' },
  {
    name: 'dependents are never released',
    file: 'core/run/evolve/next-state.ts',
    find: 'if (waitsForMore(next, dependent)) continue',
    replace: 'if (!waitsForMore(next, dependent)) continue',
  },
  {
    name: 'one dependency is enough',
    file: 'core/run/evolve/next-state.ts',
    find: 'return open > 0',
    replace: 'return false',
  },
  {
    name: 'undone in the order of completion',
    file: 'core/run/evolve/steps.ts',
    find: 'next.completions = {',
    replace: 'if (next.completions === undefined) next.completions = {',
  },
  {
    name: 'a fan-out forgets its failed item',
    file: 'core/run/evolve/fan-out.ts',
    find: ': bitAdd(fan.failed, item)',
    replace: ': fan.failed',
  },
  {
    name: 'a failed fan-out stays ready',
    file: 'core/run/evolve/steps.ts',
    find: 'abandonFan(next, failed.step)',
    replace: '',
  },
  {
    name: 'new items start after one has failed',
    file: 'core/run/evolve/fan-out.ts',
    find: "next.graph.plan.policy.onFailure !== 'continue') holdBack",
    replace: "next.graph.plan.policy.onFailure === 'continue') holdBack",
  },
  {
    name: 'a fallback does not recover its step',
    file: 'core/run/evolve/steps.ts',
    find: 'recovered: true',
    replace: 'recovered: false',
  },
  {
    name: 'a snapshot loses backoffs',
    file: 'core/run/state-snapshot.ts',
    find: 'if (unit.backoff)',
    replace: 'if (unit.backoff && unit.attempt > 9)',
  },
  {
    name: 'the row does not say when to wake',
    file: 'core/run/summary.ts',
    find: 'const wakeAt = cut ? state.lastNow : nextTimer(state)?.dueAt',
    replace: 'const wakeAt = cut ? state.lastNow : undefined',
  },
  {
    name: 'the row does not say that work is owed',
    file: 'core/run/summary.ts',
    find: 'state.inFlight.size > 0 ||',
    replace: '',
  },
  {
    name: 'a view folds an event twice',
    file: 'core/view/project-run.ts',
    find: 'record.runSeq <= current.lastEventSeq',
    replace: 'record.runSeq < current.lastEventSeq',
  },
]

const APPEND: readonly Mutant[] = [
  {
    name: 'no compare-and-set',
    file: 'adapters/stores/memory/append.ts',
    find: "if (run.row.epoch !== expected.epoch || run.row.nextSeq !== expected.nextSeq) return { kind: 'conflict' }",
    replace: '',
  },
  {
    name: 'the epoch is not compared',
    file: 'adapters/stores/memory/append.ts',
    find: 'run.row.epoch !== expected.epoch ||',
    replace: '',
  },
  {
    name: 'a key without its slot',
    file: 'core/events/idempotency-key.ts',
    find: "export function keyText(parts: KeyParts): string {\n  return `${parts.runId}|${parts.slot ?? 'RUN'}|",
    replace: 'export function keyText(parts: KeyParts): string {\n  return `${parts.runId}|RUN|',
  },
  {
    name: 'the chain forgets the event before',
    file: 'app/event-hashes.ts',
    find: 'joined(previous, record)',
    replace: 'joined(FIRST_PREVIOUS, record)',
  },
  {
    name: 'effects leave before the commit',
    file: 'app/advance-run.ts',
    find: 'const answer = await this.#commit(run, turn)',
    replace:
      "const answer: 'committed' | 'lost' = 'committed'\n      void this.#commit(run, turn).catch(() => undefined)",
  },
  {
    name: 'effects of a lost commit leave',
    file: 'app/advance-run.ts',
    find: "if (answer === 'lost') return 'lost'",
    replace: '',
  },
  {
    name: 'no new fold after a lost commit',
    file: 'app/advance-run.ts',
    find: 'losses += 1\n        this.forget(runKey)',
    replace: 'losses += 1',
  },
  {
    name: 'an unknown commit is taken for a failed one',
    file: 'app/advance-run.ts',
    find: 'else this.#unsure.add(runKey)',
    replace: '',
  },
  {
    name: 'timers do not fire',
    file: 'app/advance-run.ts',
    find: "await round.take({ kind: 'timer', timer: due.timer })",
    replace: 'void due.timer',
  },
  {
    name: 'letters are consumed and not decided',
    file: 'app/advance-run.ts',
    find: "if (one.kind === 'input') await round.take(one.input)",
    replace: "if (one.kind === 'input') void one.input",
  },
  {
    name: 'adoption keeps the epoch',
    file: 'app/advance-run.ts',
    find: 'request.adopt === true ? run.epoch + 1 : run.epoch',
    replace: 'run.epoch',
  },
  {
    name: 'an adopter sends nothing out',
    file: 'app/advance-run.ts',
    find: 'effects: adopted || unsure ?',
    replace: 'effects: unsure ?',
  },
  {
    name: 'a child’s end is not told',
    file: 'app/child-end.ts',
    find: 'if (parent === undefined) return []',
    replace: 'if (parent !== undefined) return []',
  },
  {
    name: 'captures are not written',
    file: 'app/decision-round.ts',
    find: 'this.context.push({ variable, seq, value: JSON.stringify(value) })',
    replace: '',
  },
  {
    name: 'an irreversible step is not claimed',
    file: 'app/execute-step.ts',
    find: "return step.effect === 'irreversible' &&",
    replace: "return step.effect === 'none' &&",
  },
  {
    name: 'the outside key changes with the attempt',
    file: 'app/execute-step.ts',
    find: 'executionId: runId,',
    replace: 'executionId: `${runId}${effect.attempt}`,',
  },
  { name: 'a fork takes over what was undone', file: 'app/fork-run.ts', find: 'undone.has(stepId) ||', replace: '' },
  {
    name: 'reports of a failed turn are forgotten',
    file: 'adapters/engines/embedded/driven-run.ts',
    find: 'this.#reports = [...reports, ...this.#reports]\n        if (this.#failed',
    replace: 'if (this.#failed',
  },
  {
    name: 'nobody adopts',
    file: 'adapters/engines/embedded/engine.ts',
    find: 'else if (this.#options.adoptOthers &&',
    replace: 'else if (!this.#options.adoptOthers &&',
  },
]

export const MUTANTS: readonly Mutant[] = [...DECIDER, ...FOLD, ...APPEND]
