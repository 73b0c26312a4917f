import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { isTaskToken, taskToken, type TaskName } from './task-token.ts'

const KEY = { keyId: 'k1', secret: new Uint8Array(32).fill(7) }
const TASK: TaskName = { tenantId: 'acme', runId: 'r1', slot: 'sign', attempt: 1, opening: 1, changes: 0 }

it('a token is of one task alone: any other part makes another one [P-35, MAN-02]', () => {
  const others: readonly TaskName[] = [
    { ...TASK, tenantId: 'globex' },
    { ...TASK, runId: 'r2' },
    { ...TASK, slot: 'sign[1]' },
    { ...TASK, attempt: 2 },
    { ...TASK, opening: 2 },
    { ...TASK, changes: 1 },
  ]
  expect(isTaskToken(KEY, TASK, taskToken(KEY, TASK))).toBe(true)
  for (const other of others) {
    expect(taskToken(KEY, other)).not.toBe(taskToken(KEY, TASK))
    expect(isTaskToken(KEY, TASK, taskToken(KEY, other))).toBe(false)
  }
})

it.each([
  [
    { tenantId: 'a', runId: 'b|c' },
    { tenantId: 'a|b', runId: 'c' },
  ],
  [
    { runId: 'r', slot: 's|1' },
    { runId: 'r|s', slot: '1' },
  ],
  [
    { tenantId: 'a","b', runId: 'c' },
    { tenantId: 'a', runId: 'b","c' },
  ],
  [{ slot: 's\u0000' }, { slot: 's' }],
])('parts that read alike when put together are told apart: %j and %j', (one, other) => {
  expect(taskToken(KEY, { ...TASK, ...one })).not.toBe(taskToken(KEY, { ...TASK, ...other }))
})

it('a token from before tokens named their tenant completes the task that was open then, and no other [P-35]', () => {
  const earlier = `k1.${createHmac('sha256', KEY.secret).update('r1|sign|1|1').digest('hex')}`
  expect(isTaskToken(KEY, TASK, earlier)).toBe(true)
  expect(isTaskToken(KEY, { ...TASK, attempt: 2 }, earlier)).toBe(false)
  expect(isTaskToken(KEY, { ...TASK, changes: 1 }, earlier)).toBe(false)
  expect(isTaskToken(KEY, TASK, '')).toBe(false)
})
