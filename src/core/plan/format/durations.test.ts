/** Every field of milliseconds has a twin that takes text; both give the same bytes, and a wrong one is told at its place. */
import { describe, expect, it } from 'vitest'
import { parsePlan } from '../compile/parse-plan.ts'
import { planSections } from '../write/plan-schema.ts'
import { durationTwins } from './durations.ts'

const WHOLE = (ms: boolean): string => `plan: a
version: "1"
policy:
  ${ms ? 'timeoutMs: 60000' : 'timeout: 1m'}
  ${ms ? 'runTimeoutMs: 7200000' : 'runTimeout: 2h'}
  ${ms ? 'drainTimeoutMs: 600000' : 'drainTimeout: 10m'}
  retry: { ${ms ? 'initialBackoffMs: 500, maxBackoffMs: 30000' : 'initialBackoff: 500ms, maxBackoff: 30s'} }
steps:
  - id: one
    run: f
    ${ms ? 'timeoutMs: 1000' : 'timeout: 1s'}
    retry: { ${ms ? 'initialBackoffMs: 0' : 'initialBackoff: 0s'} }
    compensate: { run: g, ${ms ? 'timeoutMs: 5000' : 'timeout: 5s'} }
  - { id: two, wait: { ${ms ? 'forMs: 86400000' : 'for: 1d'} } }
  - { id: three, manual: { title: Look, ${ms ? 'expiresAfterMs: 604800000' : 'expiresAfter: 7d'} } }
`

describe('a duration in a plan', () => {
  it('gives the same bytes as its milliseconds, in every field that has them', () => {
    const text = (ms: boolean): string => {
      const parsed = parsePlan(WHOLE(ms))
      return parsed.ok ? parsed.value.text : JSON.stringify(parsed.problems)
    }
    expect(text(false)).toBe(text(true))
    expect(JSON.parse(text(false))).toMatchObject({ policy: { timeoutMs: 60_000, runTimeoutMs: 7_200_000 } })
    const twins = planSections().flatMap(({ name, fields }) =>
      [...durationTwins(fields)].map(([twin]) => `${name}.${twin}`),
    )
    expect(twins).toEqual([
      'policy.timeout',
      'policy.runTimeout',
      'policy.drainTimeout',
      'retry.initialBackoff',
      'retry.maxBackoff',
      'step.timeout',
      'wait.for',
      'wait.timeout',
      'manual.expiresAfter',
      'compensate.timeout',
    ])
  })

  it('is found again at the words that were written', () => {
    const parsed = parsePlan(WHOLE(false), { file: 'p' })
    const at = (pointer: string) => (parsed.ok ? parsed.value.positionOf(pointer) : undefined)
    expect(at('/policy/timeoutMs')).toEqual({ file: 'p', line: 4, column: 12, length: 2 })
    expect(at('/steps/0/retry/initialBackoffMs')).toMatchObject({ line: 12 })
  })
})

/** `code line:column message (hint)` of every problem of one step. */
function told(step: string): readonly string[] {
  const parsed = parsePlan(`plan: a\nversion: "1"\nsteps:\n  - id: one\n    ${step}\n`)
  if (parsed.ok) return []
  return parsed.problems.map(
    ({ code, at, message, hint }) =>
      `${code} ${at?.line}:${at?.column} ${message}${hint === undefined ? '' : ` (${hint})`}`,
  )
}
const KIND = `'timeout' must be a duration such as 500ms, 30s, 5m, 2h or 7d`

describe('a duration is refused at its line and column', () => {
  it('when both spellings are given', () => {
    expect(told('run: f\n    timeoutMs: 30000\n    timeout: 30s')).toEqual([
      `PLAN_FIELD_TWICE 7:5 'timeout' and 'timeoutMs' are the same time; both are given`,
    ])
    expect(told('wait: { for: 1s, forMs: 1000 }')).toEqual([
      `PLAN_FIELD_TWICE 5:13 'for' and 'forMs' are the same time; both are given`,
    ])
  })

  it.each([
    ['7 days', `${KIND}, not '7 days' (write 7d)`],
    ['-5s', `${KIND}, not '-5s'`],
    ['1.5h', `${KIND}, not '1.5h' (write 90m)`],
    ['30', `${KIND}, not 30 (a number needs its unit: 30s, or timeoutMs: 30 for milliseconds)`],
    ['unlimited', `${KIND}, not 'unlimited'`],
    ['366d', `'timeout' must be at most 365d, not '366d'`],
    ['999999999999999d', `'timeout' must be at most 365d, not '999999999999999d'`],
    ['0s', `'timeout' must be at least 1ms, not '0s'`],
    ['[30s]', `${KIND}, not a list`],
    [
      `'\${input.t}'`,
      `${KIND}, not '\${input.t}' (a computed time is given in milliseconds, where the field takes one: timeoutMs)`,
    ],
  ])('for %s', (value, message) => {
    expect(told(`run: f\n    timeout: ${value}`)).toEqual([`INVALID_STEP_SCHEMA 6:14 ${message}`])
  })

  it('in a field of milliseconds, with the field that takes text', () => {
    expect(told('wait: { forMs: 2h }')).toEqual([
      `INVALID_STEP_SCHEMA 5:20 'forMs' must be a number of milliseconds, or one whole \${…}, not '2h' (write for: 2h)`,
    ])
    expect(told('manual: { title: x, expiresAfterMs: 7d }')).toEqual([
      `INVALID_STEP_SCHEMA 5:41 'expiresAfterMs' must be a whole number from 1 to 31536000000, not '7d' (write expiresAfter: 7d)`,
    ])
  })

  it('where it is written under another name, or in the wrong place', () => {
    expect(told('run: f\n    timout: 30s')).toEqual([
      `INVALID_STEP_SCHEMA 6:5 'timout' is not a field of a step (did you mean 'timeout'?)`,
    ])
    const parsed = parsePlan('plan: a\nversion: "1"\nrunTimeout: 2h\nsteps: [{ id: a, run: f }]')
    expect(parsed.ok ? [] : parsed.problems).toMatchObject([
      { code: 'PLAN_UNKNOWN_FIELD', hint: 'write it under policy', at: { line: 3, column: 1 } },
    ])
  })
})
