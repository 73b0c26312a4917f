/** The erasable data of every event: which fields it may have, and their shapes. The fold never needs them. */
import { LIMITS } from '../limits.ts'
import { anything, list, object, optional, record, text } from '../schema/shape.ts'
import type { PAYLOADS } from './payloads.ts'

/** What may be personal: stored separately, salted, hashed and erasable (P-32). One row per event. */
export const DATA_FIELDS = {
  RunQueued: ['input'],
  RunValidated: ['input'],
  RunApproved: ['input'],
  RunStarted: ['input'],
  StepStarted: ['facts'],
  StepCompleted: ['result', 'captureValues', 'facts', 'notes'],
  StepFailed: ['errorText', 'facts', 'notes'],
  StepSkipped: ['facts'],
  SignalAccepted: ['signalPayload'],
  SignalRejected: ['signalPayload'],
  RunPaused: [],
  RunResumed: [],
  RunCompleted: ['output', 'facts'],
  RunFailed: ['input', 'errorText'],
  RunCancelled: ['input'],
  ManualTaskOpened: [],
  FanOutExpanded: ['facts'],
  CompensationStarted: [],
  CompensationCompleted: ['result'],
  CompensationFailed: ['errorText'],
  AlertRaised: ['notes'],
  AlertEscalated: ['notes'],
  RunForked: [],
  EngineHandoff: [],
  RulesUpgraded: [],
  LateOutcomeRecorded: ['result', 'errorText'],
  ErasureRecorded: ['notes'],
} as const satisfies Record<keyof typeof PAYLOADS, readonly DataField[]>

export type DataField =
  'input' | 'result' | 'output' | 'captureValues' | 'errorText' | 'facts' | 'notes' | 'signalPayload'

export const DATA_SHAPES = {
  input: anything(),
  result: anything(),
  output: anything(),
  captureValues: list(anything()),
  errorText: object({
    message: text({ max: LIMITS.errorTextBytes }),
    stackTrace: optional(text({ max: LIMITS.errorTextBytes })),
  }),
  facts: record(anything()),
  notes: text({ max: LIMITS.notesChars }),
  signalPayload: anything(),
} as const
