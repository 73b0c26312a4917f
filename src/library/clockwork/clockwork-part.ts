/** One part of what a server does by the clock. */
export interface ClockworkPart {
  readonly name: string
  /** Does it do its work? */
  working(): boolean
  /** While it does not: a registered code, where one is known. */
  why?(): string | undefined
  close(): Promise<void>
}
