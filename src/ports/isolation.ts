/**
 * A separate place where one function call runs, a thread or a process: it communicates by messages and can be killed.
 */
export interface IsolatedHost {
  send(message: unknown): void
  /** Ends it now, whatever it does. `gone` is called afterwards. */
  kill(): void
}

export interface HostEvents {
  readonly message: (message: unknown) => void
  /** It no longer exists, for whatever reason; called once. */
  readonly gone: (why: string) => void
}

/** Starts a host that runs `entry`, the file that takes calls. */
export type StartHost = (entry: URL, events: HostEvents) => IsolatedHost
