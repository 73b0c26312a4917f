import { describe, expect, it } from 'vitest'
import { eventFiles, EVENT_SCHEMAS } from '../../../scripts/event-pages.ts'
import { staleFiles } from '../../../scripts/generated-file.ts'
import { EVENTS, EVENT_TYPES } from './event.ts'
import { DATA_FIELDS } from './data-fields.ts'
import { PAYLOADS } from './payloads.ts'
import { RECORD_ONLY, recordSchema, writeSchema, type JsonSchema } from './schemas.ts'

const CANONICAL = [
  ['RunQueued', 'admission'],
  ['RunApproved', 'planner'],
  ['RunStarted', 'engine'],
  ['StepStarted', 'activity-worker'],
  ['StepCompleted', 'activity-worker'],
  ['StepFailed', 'activity-worker'],
  ['StepSkipped', 'engine'],
  ['SignalAccepted', 'authorization'],
  ['SignalRejected', 'authorization'],
  ['RunPaused', 'engine'],
  ['RunResumed', 'engine'],
  ['RunCompleted', 'engine'],
  ['RunFailed', 'engine'],
  ['RunCancelled', 'engine'],
]
const EXTENSIONS = [
  'RunValidated',
  'ManualTaskOpened',
  'FanOutExpanded',
  'CompensationStarted',
  'CompensationCompleted',
  'CompensationFailed',
  'AlertRaised',
  'AlertEscalated',
  'RunForked',
  'EngineHandoff',
  'RulesUpgraded',
  'LateOutcomeRecorded',
  'ErasureRecorded',
]

const namesIn = (schema: JsonSchema): readonly string[] => Object.keys(schema['properties'] as JsonSchema)

describe('the event catalogue', () => {
  it('is the fourteen events of the source contracts with their emitters and our thirteen extensions, no more', () => {
    const canonical = EVENT_TYPES.filter((type) => EVENTS[type].canonical)
    expect(canonical.map((type) => [type, EVENTS[type].emittedBy]).sort()).toEqual([...CANONICAL].sort())
    expect(EVENT_TYPES.filter((type) => !EVENTS[type].canonical).sort()).toEqual([...EXTENSIONS].sort())
  })

  it('has no delayed step', () => {
    expect(EVENT_TYPES).not.toContain('StepDelayed')
  })

  it('names every event in PascalCase without On in front', () => {
    for (const type of EVENT_TYPES) {
      expect(type).toMatch(/^([A-Z][a-z0-9]+)+$/)
      expect(type).not.toMatch(/^On[A-Z]/)
    }
  })
})

describe('the published schemas', () => {
  it('lie in the repository for both shapes of every event, as does the catalogue, and are not stale [EVT-35]', () => {
    const paths = eventFiles().map((file) => file.path)
    for (const type of EVENT_TYPES) {
      expect(paths).toContain(`${EVENT_SCHEMAS}/${type}.write.json`)
      expect(paths).toContain(`${EVENT_SCHEMAS}/${type}.record.json`)
    }
    expect(staleFiles(eventFiles(), EVENT_SCHEMAS)).toEqual([])
  })

  it('are closed on the write side and open on the record side at every depth', () => {
    const closed = (schema: unknown): number => JSON.stringify(schema).split('"additionalProperties":false').length - 1
    for (const type of EVENT_TYPES) {
      expect(closed(writeSchema(type)), type).toBeGreaterThan(0)
      expect(closed(recordSchema(type)), type).toBe(0)
    }
  })

  it('ask of a write none of the fields that the append path fills in, and of a record all but the data ones', () => {
    for (const type of EVENT_TYPES) {
      expect(namesIn(writeSchema(type)).filter((name) => RECORD_ONLY.includes(name))).toEqual([])
      expect(recordSchema(type)['required']).toEqual(
        expect.arrayContaining(['runSeq', 'persistedAt', 'decision', 'chainHash']),
      )
      expect(namesIn(recordSchema(type))).toEqual(expect.arrayContaining([...RECORD_ONLY]))
    }
  })

  it('are JSON Schema 2020-12 with an id and a title each', () => {
    const all = EVENT_TYPES.flatMap((type) => [writeSchema(type), recordSchema(type)])
    expect(new Set(all.map((schema) => schema['$id'])).size).toBe(2 * EVENT_TYPES.length)
    for (const schema of all) {
      expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema')
      expect(schema['title']).toMatch(/^[A-Za-z]+ \((write|record)\)$/)
    }
  })

  it('keep structure and erasable data apart: no name is in both [P-32]', () => {
    for (const type of EVENT_TYPES) {
      const payload = namesIn(PAYLOADS[type].schema)
      expect(DATA_FIELDS[type].filter((name) => payload.includes(name))).toEqual([])
    }
  })
})
