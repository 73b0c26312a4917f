/** One thing `keelson doctor` looked at: what is so, whether it is well, and what to do if not. */
export type Health = 'well' | 'warning' | 'bad'

export interface Finding {
  readonly name: string
  readonly health: Health
  readonly says: string
  readonly todo?: string
}
