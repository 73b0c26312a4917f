/** Faults planted in what spans runs: units claimed, freed, offered and waited for, letters of executors, the feed. */
import type { Mutant } from './mutant.ts'

export const GRANTS: readonly Mutant[] = [
  {
    name: 'a claim takes units that were offered to others',
    file: 'adapters/stores/memory/grant-queue.ts',
    find: 'usedUnits(tables, pool, now) + setAside + (claimant',
    replace: 'usedUnits(tables, pool, now) + 0 * setAside + (claimant',
    catcher: 'test/suites/memory.test.ts',
  },
  {
    name: 'freed units are offered to nobody',
    file: 'adapters/stores/memory/grants.ts',
    find: 'one.waits, freed, now)\n  offerUnits(disk, freed, now)',
    replace: 'one.waits, freed, now)',
    catcher: 'test/suites/memory.test.ts',
  },
  {
    name: 'nobody counts who was passed over',
    file: 'adapters/stores/memory/grant-queue.ts',
    find: 'bypassed: row.bypassed + 1',
    replace: 'bypassed: row.bypassed',
    catcher: 'test/suites/memory.test.ts',
  },
  {
    name: 'a pool gives more than it has',
    file: 'adapters/stores/memory/grant-queue.ts',
    find: '(claimant.wants[name] ?? 0) <= capacity',
    replace: '(claimant.wants[name] ?? 0) <= capacity + 1',
  },
  {
    name: 'units are not freed when a step fails',
    file: 'app/run-grants.ts',
    find: "if (draft.eventType !== 'StepCompleted' && draft.eventType !== 'StepFailed') return []",
    replace: "if (draft.eventType !== 'StepCompleted') return []",
  },
  {
    name: 'who waits is not put in the queue',
    file: 'app/run-grants.ts',
    find: '...(isKnown ? {} : { waits: waits.map(requestOf) }),',
    replace: '',
  },
  {
    name: 'what was refused is tried again in the same turn',
    file: 'app/run-grants.ts',
    find: 'this.#denied.add(claim.slot)',
    replace: '',
  },
  {
    name: 'what waits behind another is never tried',
    file: 'app/run-grants.ts',
    find: 'return [...this.#waits.values()].some((wait) => this.#isOver(wait, state))',
    replace: 'return false',
  },
  {
    name: 'nobody is woken when a quota opens',
    file: 'app/run-grants.ts',
    find: '...(instants.length === 0 ? {} : { retryAt: Math.min(...instants) })',
    replace: '',
  },
  {
    name: 'a run waits for more than it has slots free',
    file: 'app/run-grants.ts',
    find: 'return waits.slice(0, free)',
    replace: 'return free < 0 ? [] : waits',
  },
  {
    name: 'who takes a run over forgets until when its quota is closed',
    file: 'app/run-grants.ts',
    find: 'pools: Object.keys(wants) })\n      grants.#tried.add(slot)',
    replace: 'pools: Object.keys(wants) })',
    catcher: 'test/sim/found-grants.test.ts',
  },
  {
    name: 'a slot that cannot start keeps waiting',
    file: 'core/run/grants.ts',
    find: 'unit.attempt === attempt - 1 && (unit.backoff || isReady(state, unit))',
    replace: "unit.attempt === attempt - 1 && unit.status !== 'RUNNING' && isReady !== undefined",
  },
  {
    name: 'a retry does not wait for its grant',
    file: 'core/run/decide/schedule.ts',
    find: '(unit) => !waitsForGrant(ws, unit))',
    replace: '() => true)',
  },
  {
    name: 'a start does not say what it holds',
    file: 'core/run/decide/schedule.ts',
    find: '...(grants === undefined ? {} : { grants }),',
    replace: '',
  },
  {
    name: 'the letter of an offer is read and left lying',
    file: 'app/advance-run.ts',
    find: 'consumed.push({ inboxId: row.inboxId, seq: round.nextSeq })',
    replace: "if (row.kind !== 'grant') consumed.push({ inboxId: row.inboxId, seq: round.nextSeq })",
  },
  {
    name: 'who loses leaves no letter',
    file: 'app/advance-run.ts',
    find: 'else await store.insertInbox(row, letter)',
    replace: 'else left.push(report)',
    catcher: 'test/core/protocol-letters.test.ts',
  },
  {
    name: 'a failed delivery does not stop its run',
    file: 'app/deliver-page.ts',
    find: "if (delivery.result === 'failed') break",
    replace: '',
  },
]
