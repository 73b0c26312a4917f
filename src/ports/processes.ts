/** Starting programs: one folder alone does it, without a shell and in a process group of their own. */
export interface CommandRequest {
  readonly argv: readonly [string, ...string[]]
  /** Relative to the folder the deployment runs commands in. */
  readonly cwd?: string
  /** The whole environment besides PATH. */
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string
}

export interface CommandEnd {
  readonly exitCode: number | null
  /** The signal that ended it, if one did. */
  readonly signal: string | null
  /** The first part, as much as is kept. */
  readonly stdout: string
  readonly stdoutTruncated: boolean
  /** Bytes that are not UTF-8 were replaced. */
  readonly stdoutReplaced: boolean
  /** The last part. */
  readonly stderr: string
  readonly stderrTruncated: boolean
  readonly stderrReplaced: boolean
}

export interface Processes {
  /** Resolves when the program has ended, however it did. Aborting asks its group to end, and after 5 s ends it. */
  run(command: CommandRequest, signal: AbortSignal): Promise<CommandEnd>
}
