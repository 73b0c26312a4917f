import { describe, expect, it } from 'vitest'
import { isSafePattern } from './safe-pattern.ts'

describe('patterns of strangers', () => {
  it.each([
    '^[a-z]+(-[a-z]+)*$',
    '^([a-z]+-)*[a-z]+$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^(foo|bar)+$',
    '^v(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$',
    '^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$',
    '^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$',
    '^(?=.*\\d)(?=.*[a-z]).{8,}$',
    '^\\p{L}+( \\p{L}+)*$',
    '^(\\+\\d+)?$',
    '^[(a+)]+$',
    '^\\(a+\\)+$',
  ])('%s passes', (pattern) => {
    expect(isSafePattern(pattern)).toBe(true)
  })

  it.each([
    '(a+)+$',
    '(a|a)*',
    '(a*)*',
    '(a|aa)+',
    '(.*a){20}',
    '([a-z]+)*',
    '(\\w+\\s?)*$',
    '((a+)b?)+',
    '(a?){30}',
    '(x+x+)+y',
    '(?:(?:a+)+)b',
    'x'.repeat(1_025),
  ])('%s is refused', (pattern) => {
    expect(isSafePattern(pattern)).toBe(false)
  })
})
