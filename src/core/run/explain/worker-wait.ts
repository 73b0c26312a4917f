/** A step of a queue that is running: it waits for a remote worker, or one has it. It is not in the log; its reader adds it. */
export type WorkerCause =
  | {
      readonly kind: 'waiting-for-worker'
      readonly queue: string
      /** The function that the worker must have. */
      readonly handler: string
      readonly since: number
      /** When a worker with this function last asked this queue for work; absent: none is known. */
      readonly askedAt?: number
    }
  | {
      readonly kind: 'with-worker'
      readonly queue: string
      readonly worker: string
      readonly since: number
      /** It was or will be handed out again, or is in doubt, after this instant without a heartbeat. */
      readonly until: number
    }
