/**
 * An event on its way to one wait, as the text of an inbox row (P-21, P-54). The id has the attempt: an event that an attempt
 * had no use for may be what the next one waits for.
 */
export interface NoticeParts {
  readonly eventId: string
  readonly name: string
  readonly key: string
  readonly slot: string
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly sentAt: number
  /** Canonical JSON. */
  readonly data: string
}

export function noticeId({ eventId, slot, attempt }: Pick<NoticeParts, 'eventId' | 'slot' | 'attempt'>): string {
  return `event:${eventId}:${slot}:${attempt}`
}

/** The data is put in as it is kept: it is never read on the way. */
export function noticeText({ data, ...parts }: NoticeParts): string {
  const { eventId, name, key, slot, attempt, sentAt } = parts
  return `${JSON.stringify({ eventId, name, key, slot, attempt, sentAt }).slice(0, -1)},"data":${data}}`
}
