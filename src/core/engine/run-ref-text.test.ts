import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { engineRunRefText, parseEngineRunRef, type EngineRunName } from './run-ref-text.ts'
import { SEED as seed } from '../../../test/setup/seed.ts'

describe('an engine run reference', () => {
  it.each<readonly [EngineRunName, string]>([
    [
      {
        engineType: 'temporal',
        namespace: 'default',
        workflowType: 'keelson-run',
        workflowId: 'run_1',
        providerRunId: 'f47a',
      },
      'temporal://default/keelson-run/run_1/f47a',
    ],
    [
      { engineType: 'conductor', conductorUrl: 'http://c:8080/api', workflowId: 'run_1', providerRunId: 'e-9' },
      'conductor://http%3A%2F%2Fc%3A8080%2Fapi/run_1/e-9',
    ],
    [
      { engineType: 'embedded', runId: '0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a' },
      'embedded://0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a',
    ],
    [{ engineType: 'mock', runId: 'run_1' }, 'mock://run_1'],
  ])('%o has a text that parses back [EVT-37, X-48]', (ref, text) => {
    expect(engineRunRefText(ref)).toBe(text)
    expect(parseEngineRunRef(text)).toEqual(ref)
  })

  it(`has one reading whatever its parts hold (seed ${seed}) [EVT-37]`, () => {
    const part = fc.string({ minLength: 1, unit: 'grapheme' }).filter((value) => value.isWellFormed())
    fc.assert(
      fc.property(part, part, part, part, (namespace, workflowType, workflowId, providerRunId) => {
        const ref: EngineRunName = { engineType: 'temporal', namespace, workflowType, workflowId, providerRunId }
        expect(parseEngineRunRef(engineRunRefText(ref))).toEqual(ref)
      }),
      { seed },
    )
  })

  it('is refused, not thrown, when the text names no engine or not all parts', () => {
    const wrong = [
      '',
      'embedded',
      'embedded://',
      'airflow://x',
      'temporal://a/b/c',
      'temporal://a//b/c',
      'mock://a/b',
      'mock://%zz',
    ]
    for (const text of wrong) expect(parseEngineRunRef(text)).toBeUndefined()
  })
})
