import { describe, expect, it } from 'vitest'
import { judgeSchemaVersion } from './schema-version.ts'

describe('with v1.5 as the current version of the format', () => {
  it.each([
    ['v1.5', 'accepted'],
    ['v1.4', 'accepted'],
    ['v1.3', 'accepted'],
    ['v1.2', 'deprecated'],
    ['v1.1', 'unknown'],
    ['v1.6', 'unknown'],
    ['v2.5', 'unknown'],
    ['v0.5', 'unknown'],
  ])('%s is %s', (version, verdict) => {
    expect(judgeSchemaVersion(version, 'v1.5')).toBe(verdict)
  })

  it.each(['v9.9', '1.2', 'v1', 'v1.05', 'v1.5 ', 'V1.5', '', undefined])('%j is unknown [PLN-02]', (version) => {
    expect(judgeSchemaVersion(version, 'v1.5')).toBe('unknown')
  })
})

describe('with v1.1 as the current version', () => {
  it('nothing is deprecated yet, because there are not three minors', () => {
    expect(judgeSchemaVersion('v1.0', 'v1.1')).toBe('accepted')
  })
})
