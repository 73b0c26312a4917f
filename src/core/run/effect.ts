/**
 * Work that the state asks for, as data with stable ids. An effect may be sent out more than once; its executor recognises a
 * repeat by the id (P-03).
 */
export type Effect =
  | {
      readonly kind: 'ExecuteStep'
      readonly id: string
      readonly slot: string
      readonly attempt: number
      readonly engineAttempt: number
    }
  | {
      readonly kind: 'CancelStep'
      readonly id: string
      readonly slot: string
      readonly attempt: number
      readonly engineAttempt: number
    }
  | {
      readonly kind: 'Compensate'
      readonly id: string
      readonly slot: string
      readonly attempt: number
      readonly engineAttempt: number
    }
  | { readonly kind: 'OpenManualTask'; readonly id: string; readonly slot: string; readonly attempt: number }
  /** The child run of a plan step, or, in a slot `COMP:…`, the run that undoes what that child has finished. */
  | { readonly kind: 'StartChild'; readonly id: string; readonly slot: string; readonly attempt: number }
  | {
      readonly kind: 'SignalChild'
      readonly id: string
      readonly slot: string
      readonly attempt: number
      readonly signalType: 'PAUSE' | 'RESUME' | 'CANCEL' | 'EMERGENCY_STOP'
      /** Pause cycle; 0 for CANCEL and EMERGENCY_STOP. With run, slot and attempt it names the signal, so a repeat is one signal. */
      readonly cycle: number
    }

export function effectId(kind: Effect['kind'], slot: string, attempt: number, engineAttempt?: number): string {
  return engineAttempt === undefined ? `${kind}:${slot}:${attempt}` : `${kind}:${slot}:${attempt}:${engineAttempt}`
}

/** Engine attempt of a dispatch under `epoch` of an attempt started under `startedEpoch` (P-27). */
export function engineAttemptAt(epoch: number, startedEpoch: number, platformAttempt = 1): number {
  return 1 + (epoch - startedEpoch) + (platformAttempt - 1)
}
