import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Json } from '../plan.ts'
import { planSchema, planSections } from './plan-schema.ts'
import { STEP_CODES, type Reading } from '../read/reading.ts'

const matches = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false }).compile(planSchema())

describe('the published schema', () => {
  it.each([
    'plan: a\nversion: "1"\nsteps: [{ id: s, run: f }]',
    'metadata: { planId: a, planVersion: "1" }\nsteps: [{ stepId: s, wait: { forMs: 1 } }]',
    'plan: a\nversion: "1"\nsteps: [{ id: s, run: f, timeout: 30s, retry: { maxAttempts: unlimited, maxBackoff: 1h } }]',
    'plan: a\nversion: "1"\nsteps: [{ id: s, forEach: { in: input.l, concurrency: 2, steps: [{ id: t, run: f }], output: 1 } }]',
    'plan: a\nversion: "1"\nx-mine: 1\nsteps: [{ id: s, run: f, x-note: 2, compensate: { run: g }, retry: { maxAttempts: 2 } }]',
  ])('takes a good plan: %s [CAP-01]', (text) => {
    expect(matches(parse(text)), JSON.stringify(matches.errors)).toBe(true)
  })

  it.each([
    'version: "1"\nsteps: [{ id: s, run: f }]',
    'plan: a\nversion: "1"\nsteps: []',
    'plan: a\nversion: "1"\nspeed: 1\nsteps: [{ id: s, run: f }]',
    'plan: a\nversion: "1"\nsteps: [{ id: s }]',
    'plan: a\nversion: "1"\nsteps: [{ id: s, run: f, wait: { forMs: 1 } }]',
    'plan: a\nversion: "1"\nsteps: [{ id: s, stepId: s, run: f }]',
    'plan: a\nversion: "1"\nsteps: [{ id: s, run: f, retry: { maxAttempts: 1001 } }]',
    'plan: a\nversion: "1"\nsteps: [{ id: s, run: f, secrets: { a: plain } }]',
    'plan: a\nversion: "1"\nsteps: [{ id: s, run: f, compensate: { with: {} } }]',
    'plan: a\nversion: "1"\nsteps: [{ id: s, run: f, timeout: 7 days }]',
    'plan: a\nversion: "1"\nsteps: [{ id: s, run: f, retry: { maxAttempts: endless } }]',
    'plan: a\nversion: "1"\nsteps: [{ id: s, forEach: { in: input.l } }]',
    'plan: a\nversion: "1"\nsteps: [{ id: s, forEach: { in: input.l, steps: [{ id: t }] } }]',
    'plan: a\nversion: 1\nsteps: [{ id: s, run: f }]',
  ])('refuses a bad one: %s [CAP-01]', (text) => {
    expect(matches(parse(text))).toBe(false)
  })
})

describe('the tables of fields', () => {
  it('describe every object of the format', () => {
    expect(planSections().map((section) => section.name)).toEqual([
      'plan document',
      'metadata',
      'forItem',
      'schedule',
      'policy',
      'retry',
      'step',
      'http',
      'command',
      'wait',
      'manual',
      'plan',
      'dbt',
      'forEach',
      'capture',
      'isolate',
      'compensate',
      'fallback',
      'dispatch',
      'plannedEffect',
    ])
  })

  it('have examples that are good values of their field, each one', () => {
    for (const section of planSections()) {
      for (const [name, field] of Object.entries(section.fields)) {
        const reading: Reading = { problems: [], sites: [], positionOf: () => undefined, codes: STEP_CODES }
        const value = field.kind.read(parse(field.example) as Json, { parent: undefined, key: name }, reading)
        expect([section.name, name, reading.problems.map((problem) => problem.message)]).toEqual([
          section.name,
          name,
          [],
        ])
        expect(value).toBeDefined()
        expect(field.about).toMatch(/^[A-Z`].*\.$/)
      }
    }
  })
})
