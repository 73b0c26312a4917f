/** References to runs from outside. */
import { describe, expect, it } from 'vitest'
import { mismatchOf, parseRunRef, storedRunRef, type EngineRunRef } from './run-ref.ts'

const TEMPORAL = { provider: 'temporal', namespace: 'ns', workflowId: 'r1', runId: 'r1' } as const
const CONDUCTOR = { provider: 'conductor', workflowId: 'w1', runId: 'r1', conductorUrl: 'https://c.example' } as const
const MOCK = { provider: 'mock', workflowId: 'r1', runId: 'r1' } as const
const EMBEDDED = { provider: 'embedded', workflowId: 'r1', runId: 'r1' } as const

describe('a reference to a run', () => {
  it.each<EngineRunRef>([
    TEMPORAL,
    { ...TEMPORAL, taskQueue: 'q', providerRunId: 'e1' },
    CONDUCTOR,
    { ...CONDUCTOR, providerRunId: 'e1' },
    MOCK,
    EMBEDDED,
  ])('is taken whole: %o [ENG-03, X-47, X-48]', (ref) => {
    expect(parseRunRef(ref)).toEqual({ ok: true, value: ref })
  })

  const fields = [TEMPORAL, CONDUCTOR, MOCK, EMBEDDED].flatMap((ref) =>
    Object.keys(ref).map((name) => [ref.provider, name, ref] as const),
  )
  it.each(fields)('of %s is refused without its %s, empty or of another type [ENG-03]', (_, name, ref) => {
    const { [name as 'runId']: _left, ...rest } = ref
    for (const wrong of [rest, { ...ref, [name]: '' }, { ...ref, [name]: 7 }]) {
      const read = parseRunRef(wrong)
      expect(read.ok ? [] : read.problems.map(({ code, pointer }) => [code, pointer])).toEqual([
        ['ADAPTER_INVALID_RUN_REF', `/${name}`],
      ])
    }
  })

  it('is refused with a field that it does not have, and when it is no object', () => {
    for (const wrong of [{ ...TEMPORAL, tenantId: 't' }, { ...EMBEDDED, namespace: 'x' }, null, 'temporal', [TEMPORAL]])
      expect(parseRunRef(wrong).ok).toBe(false)
  })
})

describe('the reference of a stored run', () => {
  it('has our id and what the engine calls it, once the engine has named it [X-48, TMP-19]', () => {
    const run = { runId: 'r1', engineType: 'temporal' } as const
    expect(storedRunRef({ ...run, engineRunRef: 'temporal://ns/keelsonRun/r1/-' }, 'q')).toEqual({
      ...TEMPORAL,
      taskQueue: 'q',
    })
    expect(storedRunRef({ ...run, engineRunRef: 'temporal://ns/keelsonRun/r1/e7' })).toEqual({
      ...TEMPORAL,
      providerRunId: 'e7',
    })
    expect(storedRunRef({ runId: 'r1', engineType: 'mock', engineRunRef: 'mock://r1' })).toEqual(MOCK)
    expect(storedRunRef({ runId: 'r1', engineType: 'embedded', engineRunRef: 'embedded://r1' })).toEqual(EMBEDDED)
    const conductor = 'conductor://https%3A%2F%2Fc.example/w1/e1'
    expect(storedRunRef({ runId: 'r1', engineType: 'conductor', engineRunRef: conductor })).toEqual({
      ...CONDUCTOR,
      providerRunId: 'e1',
    })
  })

  it('is contradicted by another provider, namespace, workflow, or address, not by an older execution [ENG-04]', () => {
    const stored = { ...TEMPORAL, taskQueue: 'q', providerRunId: 'e2' }
    expect(mismatchOf({ ...TEMPORAL, providerRunId: 'e1' }, stored)).toBeUndefined()
    expect(mismatchOf({ ...TEMPORAL, namespace: 'other' }, stored)).toBe('namespace')
    expect(mismatchOf({ ...TEMPORAL, workflowId: 'other' }, stored)).toBe('workflowId')
    expect(mismatchOf(EMBEDDED, stored)).toBe('provider')
    expect(mismatchOf({ ...CONDUCTOR, conductorUrl: 'https://evil.example' }, CONDUCTOR)).toBe('conductorUrl')
  })
})
