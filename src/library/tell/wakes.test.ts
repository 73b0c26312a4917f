/** Which alerts go to somebody by themselves. */
import { expect, it } from 'vitest'
import { ALERTS, type Alert, type AlertCode } from '../../core/alerts/catalogue.ts'
import { Wakes } from './wakes.ts'

function alertOf(code: AlertCode, runId = 'run-1'): Alert {
  return { alertId: `${runId}:${code}`, code, priority: ALERTS[code].priority, runId, tenantId: 'acme', detail: 'x' }
}

it('a causal violation has no route to anybody, whatever priority is asked for [OBS-06]', () => {
  for (const least of ['P1', 'P2', 'P3'] as const) {
    const wakes = new Wakes(least, () => 0)
    for (let times = 0; times < 10; times += 1) expect(wakes.of(alertOf('PROJECTOR_CAUSAL_VIOLATION'))).toBeUndefined()
  }
})

it('a causal violation that persists for five minutes is sent once, as P2 [OBS-06]', () => {
  let now = 0
  const wakes = new Wakes('P2', () => now)
  const causal = alertOf('PROJECTOR_CAUSAL_VIOLATION')
  expect(wakes.of(causal)).toBeUndefined()
  now = 299_999
  expect(wakes.of(causal)).toBeUndefined()
  now = 300_000
  expect(wakes.of(alertOf('PROJECTOR_CAUSAL_VIOLATION', 'run-2'))).toBeUndefined()
  expect(wakes.of(causal)).toEqual({ ...causal, priority: 'P2', persistent: true })
  expect(wakes.of(causal)).toBeUndefined()
  expect(new Wakes('P1', () => now).of(causal)).toBeUndefined()
})

it('all others go where their priority is asked for', () => {
  const sent = (least: 'P1' | 'P2' | 'P3'): readonly string[] => {
    const wakes = new Wakes(least, () => 0)
    return (Object.keys(ALERTS) as readonly AlertCode[]).filter((code) => wakes.of(alertOf(code)) !== undefined)
  }
  expect(sent('P1')).toEqual(['PLAN_INTEGRITY_VALIDATION_FAILED', 'DESTRUCTIVE_SIGNAL', 'EVENT_BUS_DELIVERY_FAILED'])
  expect(sent('P2')).toEqual(sent('P3'))
  expect(sent('P2')).toHaveLength(11)
})
