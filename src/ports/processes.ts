/** Starts programs: only one folder does it, without a shell and in their own process group. */
export interface CommandRequest {
  readonly argv: readonly [string, ...string[]]
  /** Relative to the deployment's folder for commands. */
  readonly cwd?: string
  /** The whole environment besides PATH. */
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string
  /** How much of the output beyond the limit is returned separately; default none. */
  readonly spareBytes?: number
}

export interface CommandEnd {
  readonly exitCode: number | null
  /** The signal that ended it, if one did. */
  readonly signal: string | null
  /** The first part, up to the limit. */
  readonly stdout: string
  readonly stdoutTruncated: boolean
  /** Bytes that are not UTF-8 were replaced. */
  readonly stdoutReplaced: boolean
  /** What came right after that part. */
  readonly stdoutBeyond: string
  /** The last part. */
  readonly stderr: string
  readonly stderrTruncated: boolean
  readonly stderrReplaced: boolean
  /** What came right before that part. */
  readonly stderrBefore: string
}

export interface Processes {
  /** Resolves when the program has ended, in any way. Aborting asks its group to end, and kills it after 5 s. */
  run(command: CommandRequest, signal: AbortSignal): Promise<CommandEnd>
}
