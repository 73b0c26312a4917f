/** Who did what in a run and in the runs it comes from, as the state keeps it. The rules of duties judge by it. */

/** Somebody who completed tasks with success. */
export interface Approval {
  readonly actorId: string
  /** The tasks' steps and their labels `duty`. */
  readonly duties: readonly string[]
  /** It was given in an earlier run, and what it was given for is done again: it forbids, and no longer counts. */
  readonly isPast?: true
}

/** Who did what, as the log tells: what the rules judge by. */
export interface People {
  /** Who started the run, the runs it was made from and the run it belongs to, and who changed what it works on. */
  readonly makers: readonly string[]
  readonly approvals: readonly Approval[]
  /** Who pulled the emergency stop of this run, or of the runs it comes from. */
  readonly stoppedBy: readonly string[]
  /** There were more than an event tells of. */
  readonly isCut?: boolean
}
