/**
 * Why somebody gives a dead letter up. A closed list: the audit log keeps the word for years, and nothing can be erased from it, so there
 * is no room for free text.
 */
export const DROP_REASONS = ['HANDLED_ELSEWHERE', 'NOT_NEEDED', 'NEVER_TAKEN'] as const
export type DropReason = (typeof DROP_REASONS)[number]

/** For people, as the end of a sentence. */
export const DROP_WORDS: Readonly<Record<DropReason, string>> = {
  HANDLED_ELSEWHERE: 'it was handled in another way',
  NOT_NEEDED: 'the subscriber does not need it any more',
  NEVER_TAKEN: 'the subscriber can never take it',
}
