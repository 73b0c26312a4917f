import { describe, expect, it } from 'vitest'
import { sampleOf, SAMPLES } from '../../../test/golden/event-samples.ts'
import { EVENTS, EVENT_TYPES, type EventType } from '../../core/events/event.ts'
import { PAYLOADS } from '../../core/events/payloads.ts'
import { isEventName, validateRecord, validateWrite } from './validate-events.ts'

type Fields = Record<string, unknown>
const codeOf = (write: unknown): string | undefined => {
  const result = validateWrite(write)
  return result.ok ? undefined : result.problems[0]?.code
}
const messageOf = (write: unknown): string => {
  const result = validateWrite(write)
  return result.ok ? '' : (result.problems[0]?.message ?? '')
}
const without = (value: object, name: string): Fields =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
const withPayload = (type: EventType, payload: object): Fields => ({
  ...sampleOf(type),
  payload: { ...sampleOf(type).payload, ...payload },
})
const requiredOf = (type: EventType): readonly string[] => PAYLOADS[type].schema['required'] as readonly string[]

describe('a write', () => {
  it.each(EVENT_TYPES)('%s is taken whole and refused when a field of its payload is missing [EVT-34]', (type) => {
    const write = sampleOf(type)
    expect(messageOf(write)).toBe('')
    for (const name of requiredOf(type)) {
      const message = messageOf({ ...write, payload: without(write.payload, name) })
      expect(message).toContain(`'${name}'`)
    }
    if (requiredOf(type).length === 0) expect(codeOf(without(write, 'eventType'))).toBe('SCHEMA_VALIDATION_FAILED')
  })

  it('holds at least what the seeds ask of the events they leave open [EVT-34]', () => {
    expect(requiredOf('RunApproved')).toEqual([])
    expect(requiredOf('RunQueued')).toEqual(['policy'])
    expect(requiredOf('RunCompleted')).toEqual(expect.arrayContaining(['completedAt', 'artifactRefs']))
    expect(requiredOf('RunCancelled')).toContain('cause')
    for (const type of ['SignalAccepted', 'SignalRejected'] as const) {
      expect(requiredOf(type)).toEqual(
        expect.arrayContaining(['signalId', 'signalType', 'decision', 'policyDecisionId']),
      )
    }
    expect(codeOf(withPayload('RunQueued', { policy: 'REJECT' }))).toBe('SCHEMA_VALIDATION_FAILED')
  })

  it('is accepted without the fields that only a record has [EVT-26]', () => {
    for (const write of SAMPLES) {
      expect(validateWrite(write).ok).toBe(true)
      expect(validateRecord(write).ok).toBe(false)
      const record = {
        ...write,
        runSeq: 1,
        persistedAt: write.emittedAt,
        decision: { firstSeq: 1, cause: 'start' },
        chainHash: '0'.repeat(64),
      }
      expect(validateRecord(record).ok).toBe(true)
      expect(validateWrite(record).ok).toBe(false)
    }
  })

  it('names its event in PascalCase without On in front [EVT-06]', () => {
    const wrong = ['onRunStarted', 'OnRunStarted', 'RUNSTARTED', 'run_started', 'RUN_COMPLETED', '', 'runStarted']
    for (const eventType of wrong) {
      expect(isEventName(eventType), eventType).toBe(false)
      expect(messageOf({ ...sampleOf('RunStarted'), eventType })).toContain('PascalCase')
    }
    for (const eventType of EVENT_TYPES) expect(isEventName(eventType), eventType).toBe(true)
    expect(isEventName('OnceMore')).toBe(true)
  })

  it('of a type that the contract does not have is refused, StepDelayed among them', () => {
    for (const eventType of ['StepDelayed', 'FutureEvent', 'toString']) {
      expect(codeOf({ ...sampleOf('RunPaused'), eventType })).toBe('SCHEMA_VALIDATION_FAILED')
    }
  })

  it('has a stepId if and only if it is about a step [EVT-08]', () => {
    for (const type of EVENT_TYPES) {
      const write = sampleOf(type)
      if (EVENTS[type].level === 'run') {
        expect(codeOf({ ...write, stepId: 'load' }), type).toBe('SCHEMA_VALIDATION_FAILED')
        expect(codeOf({ ...write, itemIndex: 0 }), type).toBe('SCHEMA_VALIDATION_FAILED')
      } else {
        expect(codeOf({ ...write, stepId: '' }), type).toBe('SCHEMA_VALIDATION_FAILED')
        expect(codeOf({ ...write, stepId: 'RUN' }), type).toBe('SCHEMA_VALIDATION_FAILED')
        expect(codeOf({ ...without(write, 'stepId'), itemIndex: 1 }), type).toBe('SCHEMA_VALIDATION_FAILED')
      }
      if (EVENTS[type].level === 'step') expect(codeOf(without(write, 'stepId')), type).toBe('SCHEMA_VALIDATION_FAILED')
    }
  })

  it('of an item or a fallback has the slot as its stepId, and beside it what the slot says [P-52, X-105]', () => {
    const write = sampleOf('StepStarted')
    const item = { stepId: 'load[3]', parentStepId: 'load', itemIndex: 3 }
    expect(messageOf({ ...write, ...item })).toBe('')
    expect(messageOf({ ...write, stepId: 'FALLBACK:load', parentStepId: 'load', role: 'fallback' })).toBe('')
    expect(messageOf({ ...write, ...item, parentStepId: 'other' })).toContain('parentStepId must be "load"')
    expect(messageOf({ ...write, stepId: 'load', itemIndex: 3 })).toContain('parentStepId')
    expect(messageOf({ ...write, stepId: 'load', parentStepId: 'load', itemIndex: 3 })).toContain('must be absent')
    expect(messageOf({ ...write, stepId: 'load[3]' })).toContain(
      'parentStepId must be "load" beside the stepId "load[3]"',
    )
    expect(codeOf({ ...sampleOf('CompensationStarted'), stepId: 'load' })).toBe('SCHEMA_VALIDATION_FAILED')
  })

  it('has a UUID of version 4 as its eventId [EVT-10]', () => {
    const wrong = [
      'c232ab00-9414-11ec-b3c8-9f6bdeced846',
      '9b2f0c1e3a474b5e8c116f0a2d4e7b90',
      '9b2f0c1e-3a47-4b5e-0c11-6f0a2d4e7b90',
      'x',
    ]
    for (const eventId of wrong) expect(codeOf({ ...sampleOf('RunPaused'), eventId })).toBe('SCHEMA_VALIDATION_FAILED')
    expect(codeOf({ ...sampleOf('RunPaused'), eventId: '9b2f0c1e-3a47-4b5e-8c11-6f0a2d4e7b90' })).toBeUndefined()
  })

  it('names a known producer; a reader takes any [EVT-11]', () => {
    const write = { ...sampleOf('RunPaused'), emittedBy: 'robot' }
    expect(codeOf(write)).toBe('SCHEMA_VALIDATION_FAILED')
    const record = {
      ...write,
      runSeq: 1,
      persistedAt: write.emittedAt,
      decision: { firstSeq: 1, cause: 'x' },
      chainHash: '',
    }
    expect(validateRecord(record).ok).toBe(true)
    for (const emittedBy of ['engine', 'planner', 'activity-worker', 'system', 'authorization', 'admission']) {
      expect(codeOf({ ...sampleOf('RunPaused'), emittedBy })).toBeUndefined()
    }
  })

  it('has its time in UTC, and a real one', () => {
    expect(codeOf(without(sampleOf('RunPaused'), 'emittedAt'))).toBe('SCHEMA_VALIDATION_FAILED')
    for (const emittedAt of ['2026-03-01T12:00:00+02:00', '2026-13-01T00:00:00Z', '2026-03-01', 1]) {
      expect(codeOf({ ...sampleOf('RunPaused'), emittedAt })).toBe('SCHEMA_VALIDATION_FAILED')
    }
    expect(codeOf({ ...sampleOf('RunPaused'), occurredAt: '2026-03-01T10:00:00.123456789Z' })).toBeUndefined()
  })

  it('RunStarted asks for every field of its payload in the right form [EVT-17]', () => {
    const { planRef, context } = sampleOf('RunStarted').payload
    const started = (payload: object) => codeOf(withPayload('RunStarted', payload))
    const wrong = [
      { status: 'PAUSED' },
      { engineRunRef: '' },
      { engineType: 'airflow' },
      { startedAt: 'now' },
      ...['uri', 'sha256', 'schemaVersion', 'planId', 'planVersion'].map((name) => ({
        planRef: without(planRef, name),
      })),
      { planRef: { ...planRef, sha256: 'ABC' } },
      { planRef: { ...planRef, sha256: planRef.sha256.toUpperCase() } },
      { planRef: { ...planRef, schemaVersion: '1.0' } },
      { planRef: { ...planRef, schemaVersion: 'v1' } },
      ...['tenantId', 'projectId', 'environmentId'].map((name) => ({ context: without(context, name) })),
      { context: { ...context, triggerSource: 'cron' } },
    ]
    for (const payload of wrong) expect(started(payload), JSON.stringify(payload)).toBe('SCHEMA_VALIDATION_FAILED')
    for (const engineType of ['temporal', 'conductor', 'mock', 'embedded'])
      expect(started({ engineType })).toBeUndefined()
    for (const triggerSource of ['manual', 'schedule', 'webhook', 'api']) {
      expect(started({ context: { ...context, triggerSource, triggeredBy: 'jane' } })).toBeUndefined()
    }
  })

  it('RunStarted may say that it starts degraded, with warnings and a report [EVT-36]', () => {
    const warnings = [{ code: 'CAPABILITY_EMULATED', message: 'pause drains', capability: 'signal.pause' }]
    const payload = { degraded: true, warnings, validationReportRef: 'report:1' }
    expect(codeOf(withPayload('RunStarted', payload))).toBeUndefined()
    expect(codeOf(withPayload('RunStarted', { warnings: [{ code: 'X' }] }))).toBe('SCHEMA_VALIDATION_FAILED')
  })

  it('StepStarted asks for its step, its attempts from 1 up, its plan version and its time [EVT-18]', () => {
    const write = sampleOf('StepStarted')
    for (const name of ['stepId', 'logicalAttemptId', 'engineAttemptId', 'planVersion']) {
      expect(codeOf(without(write, name)), name).toBe('SCHEMA_VALIDATION_FAILED')
    }
    for (const wrong of [0, -1, 1.5, '1']) {
      expect(codeOf({ ...write, logicalAttemptId: wrong })).toBe('SCHEMA_VALIDATION_FAILED')
      expect(codeOf({ ...write, engineAttemptId: wrong })).toBe('SCHEMA_VALIDATION_FAILED')
    }
    expect(codeOf({ ...write, payload: without(write.payload, 'startedAt') })).toBe('SCHEMA_VALIDATION_FAILED')
  })

  it('StepCompleted asks for its time and a list of artifacts, empty or not [EVT-19]', () => {
    const completed = (payload: object) => codeOf(withPayload('StepCompleted', payload))
    expect(completed({ artifactRefs: [] })).toBeUndefined()
    const artifact = {
      uri: 's3://b/a',
      kind: 'csv',
      sha256: 'a'.repeat(64),
      sizeBytes: 0,
      expiresAt: '2026-03-01T10:00:00Z',
    }
    expect(completed({ artifactRefs: [artifact], durationMs: 0 })).toBeUndefined()
    const write = sampleOf('StepCompleted')
    for (const name of ['artifactRefs', 'completedAt']) {
      expect(codeOf({ ...write, payload: without(write.payload, name) })).toBe('SCHEMA_VALIDATION_FAILED')
    }
    for (const wrong of [without(artifact, 'uri'), without(artifact, 'kind'), { ...artifact, sizeBytes: -1 }]) {
      expect(completed({ artifactRefs: [wrong] })).toBe('SCHEMA_VALIDATION_FAILED')
    }
    expect(completed({ durationMs: -1 })).toBe('SCHEMA_VALIDATION_FAILED')
    expect(codeOf({ ...write, data: { result: [1] } })).toBeUndefined()
  })

  it('without a payload is refused when its event has something to say, and taken when it has not [EVT-23]', () => {
    expect(codeOf(without(sampleOf('StepFailed'), 'payload'))).toBe('SCHEMA_VALIDATION_FAILED')
    const approved = validateWrite(without(sampleOf('RunApproved'), 'payload'))
    expect(approved).toMatchObject({ ok: true, value: { payload: {} } })
  })

  it('of a failure without retryable is refused', () => {
    for (const type of ['StepFailed', 'RunFailed'] as const) {
      const { error } = sampleOf(type).payload
      expect(codeOf(withPayload(type, { error: without(error, 'retryable') }))).toBe('SCHEMA_VALIDATION_FAILED')
    }
  })

  it('that is no object at all is refused, not thrown', () => {
    for (const write of [undefined, null, 1, 'x', [], () => 1]) expect(codeOf(write)).toBe('SCHEMA_VALIDATION_FAILED')
  })

  it('carries no engine field at its root', () => {
    for (const name of ['workflowId', 'taskQueue', 'conductorUrl']) {
      expect(messageOf({ ...sampleOf('RunStarted'), [name]: 'x' })).toContain(`${name} is not a field`)
    }
  })
})

describe('a record', () => {
  const record = {
    ...sampleOf('StepFailed'),
    runSeq: 1,
    persistedAt: '2026-03-01T10:00:00Z',
    decision: { firstSeq: 1, cause: 'x' },
    chainHash: '',
  }

  it('with unknown fields or of an unknown type passes', () => {
    expect(validateRecord({ ...record, mood: 'good', payload: { ...record.payload, weather: 1 } }).ok).toBe(true)
    expect(validateRecord({ ...record, eventType: 'FutureEvent', payload: { weather: 1 } }).ok).toBe(true)
  })

  it('of a known type with a malformed payload is a typed problem', () => {
    const result = validateRecord({ ...record, payload: { error: 'boom' } })
    expect(result).toMatchObject({ ok: false, problems: [{ code: 'SCHEMA_VALIDATION_FAILED' }] })
    expect(validateRecord({ ...record, payload: 7, eventType: 'FutureEvent' }).ok).toBe(false)
    expect(validateRecord('x').ok).toBe(false)
  })
})
