/** Faults planted in who must be named (rules version 5) and in what is signed: each lets somebody past who should be seen. */
import type { Mutant } from './mutant.ts'

const catcher = 'test/security/unnamed-people.test.ts'
const published = 'test/security/published-plans.test.ts'

export const PEOPLE: readonly Mutant[] = [
  {
    name: 'nobody in particular is named as soon as they write it differently',
    file: 'core/run/people/named-people.ts',
    find: '!isSamePerson(actorId, UNNAMED)',
    replace: 'actorId !== UNNAMED',
    catcher,
  },
  {
    name: 'people are named from the next version on',
    file: 'core/run/people/named-people.ts',
    find: 'const PEOPLE_ARE_NAMED = 5',
    replace: 'const PEOPLE_ARE_NAMED = 6',
    catcher,
  },
  {
    name: 'who changes a run need not be named',
    file: 'core/run/people/named-people.ts',
    find: "const own = who === 'actors' || asksForChecker(plan) ?",
    replace: "const own = who === 'actors' ?",
    catcher,
  },
  {
    name: 'who makes a run need not be named',
    file: 'app/start/check-start.ts',
    find: "if (!isNamed(actorId)) fail('PERSON_NOT_NAMED', whoIsAsked",
    replace: "if (actorId === '') fail('PERSON_NOT_NAMED', whoIsAsked",
    catcher,
  },
  {
    name: 'a child is not told whose rule asks for names',
    file: 'app/start/start-child.ts',
    find: 'namesAsked: namesAskedOfChild(run.state, runId),',
    replace: '',
    catcher,
  },
  {
    name: 'a plan between without rules keeps the question to itself',
    file: 'core/run/people/named-people.ts',
    find: 'if (stepId === undefined || !namesPeople(state)) return state.namesAsked',
    replace: 'if (stepId === undefined || !namesPeople(state)) return undefined',
    catcher,
  },
  {
    name: 'any statement about published plans is believed',
    file: 'app/receipts/published.ts',
    find: 'if (key === undefined || !isSignature(text, signature, key.publicKey)) {',
    replace: 'if (key === undefined) {',
    catcher: published,
  },
  {
    name: 'a changed publication is signed anew',
    file: 'app/receipts/published.ts',
    find: 'for (const one of body.publications) byPosition.set(one.position, { ...one, issuedAt })',
    replace: 'for (const one of body.publications.slice(1)) byPosition.set(one.position, { ...one, issuedAt })',
    catcher: published,
  },
  {
    name: 'a single deleted receipt is not missed',
    file: 'app/receipts/check.ts',
    find: 'ANCHORED.has(eventType) && !known.has(runSeq))',
    replace: 'ANCHORED.has(eventType) && known.has(runSeq))',
    catcher: 'test/security/deleted-receipts.test.ts',
  },
]
