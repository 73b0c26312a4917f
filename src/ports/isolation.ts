/** A place apart where one function call runs, a thread or a process: it is spoken to by messages and can be ended by force. */
export interface IsolatedHost {
  send(message: unknown): void
  /** Ends it now, whatever it does. `gone` is told afterwards. */
  kill(): void
}

export interface HostEvents {
  readonly message: (message: unknown) => void
  /** It is no more, for whatever reason; told once. */
  readonly gone: (why: string) => void
}

/** Starts a host that runs `entry`, the file which takes calls. */
export type StartHost = (entry: URL, events: HostEvents) => IsolatedHost
