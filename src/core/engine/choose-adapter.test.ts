/** Which engine a run starts on. */
import { describe, expect, it } from 'vitest'
import { chooseAdapter, targetFor, type Deployment } from './choose-adapter.ts'

const HERE: Deployment = { standard: 'temporal', open: ['temporal', 'embedded', 'mock'], production: false }
const ANY = { targetAdapter: 'any' } as const

function refusal(asked: string, plan: Parameters<typeof targetFor>[0] = ANY, deployment = HERE) {
  const chosen = chooseAdapter(asked, plan, deployment)
  return chosen.ok ? undefined : chosen.problems.map(({ code, pointer }) => [code, pointer])
}

describe('the engine of a run', () => {
  it('is the plan’s own, or the deployment’s where the plan says any [ENG-02]', () => {
    expect(targetFor(ANY, HERE)).toBe('temporal')
    expect(targetFor({ targetAdapter: 'embedded' }, HERE)).toBe('embedded')
  })

  it.each(['auto', 'any', 'Temporal', '', 'toString'])('is never %j: it is chosen before [ENG-02]', (asked) => {
    expect(refusal(asked)).toEqual([['INVALID_TARGET_ADAPTER', '/targetAdapter']])
  })

  it('is each that is open here, when the plan does not mind or names it', () => {
    for (const name of HERE.open) {
      expect(chooseAdapter(name, ANY, HERE)).toEqual({ ok: true, value: name })
      expect(chooseAdapter(name, { targetAdapter: name }, HERE)).toEqual({ ok: true, value: name })
    }
  })

  it('is refused by field when the plan names another [ENG-12]', () => {
    const chosen = chooseAdapter('embedded', { targetAdapter: 'temporal' }, HERE)
    expect(chosen.ok ? [] : chosen.problems).toMatchObject([
      {
        code: 'INVALID_TARGET_ADAPTER',
        pointer: '/targetAdapter',
        details: { field: 'metadata.targetAdapter', plan: 'temporal', context: 'embedded' },
      },
    ])
  })

  it('is not the mock engine in production [X-47]', () => {
    expect(refusal('mock', ANY, { ...HERE, production: true })).toEqual([['ENGINE_NOT_OPEN', '/targetAdapter']])
    expect(refusal('mock')).toBeUndefined()
  })

  it('must be one that there is, and that is open', () => {
    expect(refusal('conductor')).toEqual([['ADAPTER_NOT_IMPLEMENTED', '/targetAdapter']])
    expect(refusal('embedded', ANY, { ...HERE, open: ['temporal'] })).toEqual([['ENGINE_NOT_OPEN', '/targetAdapter']])
  })
})
