/** Faults planted on the way into the log and out of it again: sealing, committing, adopting, dispatching. */
import type { Mutant } from './mutant.ts'

export const APPEND: readonly Mutant[] = [
  {
    name: 'the number is not compared',
    file: 'adapters/stores/memory/append.ts',
    find: ' || run.row.nextSeq !== expected.nextSeq',
    replace: '',
  },
  {
    name: 'a key without its attempt',
    file: 'core/events/idempotency-key.ts',
    find: '|${parts.attempt ?? 1}|${parts.eventType}|${parts.planVersion}`',
    replace: '|1|${parts.eventType}|${parts.planVersion}`',
  },
  {
    name: 'the events of one append are not chained to each other',
    file: 'app/seal-events.ts',
    find: 'headHash = sealed.chainHash',
    replace: '',
  },
  {
    name: 'the next append is chained to an old head',
    file: 'app/advance-run.ts',
    find: 'run.headHash = sealed.headHash',
    replace: '',
  },
  {
    name: 'a conflict is taken for a commit',
    file: 'app/advance-run.ts',
    find: "if (result.kind === 'conflict') return 'lost'",
    replace: "if (result.kind === 'conflict') return 'committed'",
  },
  {
    name: 'letters are decided and not consumed',
    file: 'app/advance-run.ts',
    find: 'consumed.push({ inboxId: row.inboxId, seq: round.nextSeq })',
    replace: '',
  },
  {
    name: 'a driver that lost its run goes on',
    file: 'app/advance-run.ts',
    find: 'owned !== undefined && owned !== run.epoch &&',
    replace: 'owned !== undefined && owned > run.epoch &&',
  },
  {
    name: 'nobody asks whether the run is still ours when there is nothing to write',
    file: 'app/advance-run.ts',
    find: "(await this.#isCurrent(run)) ? 'committed' : 'lost'",
    replace: "'committed'",
  },
  {
    name: 'every run of a batch gets the answer of the first',
    file: 'app/commit-queue.ts',
    find: 'const result = results[index]',
    replace: 'const result = results[index * 0]',
  },
  {
    name: 'a second claimant acts',
    file: 'app/begin-claim.ts',
    find: "if (holder !== claimant) return 'taken'",
    replace: '',
  },
  {
    name: 'an effect in flight is launched again',
    file: 'adapters/engines/embedded/driven-run.ts',
    find: 'if (this.#running.has(effect.id) || this.#awaitsTaking(effect)) return',
    replace: '',
  },
  {
    name: 'an effect whose report waits is launched again',
    file: 'adapters/engines/embedded/driven-run.ts',
    find: ' || this.#awaitsTaking(effect)) return',
    replace: ') return',
  },
  {
    name: 'a step is begun without a second look at the log',
    file: 'app/execute-step.ts',
    find: 'if (workOf(await step.latest(), effect) === undefined) return undefined',
    replace: '',
  },
]
