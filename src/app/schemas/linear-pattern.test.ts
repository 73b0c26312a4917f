import { describe, expect, it } from 'vitest'
import { LinearPattern } from './linear-pattern.ts'
import { SEED } from '../../../test/setup/seed.ts'

function work(pattern: string, text: string): number {
  let sum = 0
  new LinearPattern(pattern, 'u').test(text, (more) => (sum += more))
  return sum
}

const matches = (pattern: string, text: string): boolean => new LinearPattern(pattern, 'u').test(text, () => undefined)

describe('patterns in linear time', () => {
  it.each([
    ['^a*a*a*a*b$', 'a'],
    ['^(a+)+$', 'a'],
    ['(a|a)*b', 'a'],
    ['(x+x+)+y', 'x'],
    ['(.*a){20}b', 'a'],
    ['^(\\w+\\s?)*$', 'word '],
    ['^(?=(a+)+b)(?<=(a|a)*)', 'a'],
    ['\\b(a|\\w)+\\b!', 'a'],
  ])('%s takes twice the work for twice the text', (pattern, piece) => {
    const [once, twice] = [work(pattern, `${piece.repeat(1_000)}!`), work(pattern, `${piece.repeat(2_000)}!`)]
    expect(twice / once).toBeLessThan(2.1)
  })

  it('counts the same work whether or not it has seen the text before', () => {
    const pattern = new LinearPattern('^[a-z]+(-[a-z]+)*$', 'u')
    const counts = [0, 1].map(() => {
      let sum = 0
      pattern.test('one-two-three'.repeat(50), (more) => (sum += more))
      return sum
    })
    expect(counts[0]).toBe(counts[1])
  })

  it('knows characters beyond 16 bits as one', () => {
    expect(matches('^.$', '😀')).toBe(true)
    expect(matches('^[😀🙃]{2}$', '😀🙃')).toBe(true)
    expect(matches('^\\ud83d\\ude00$', '😀')).toBe(true)
    expect(matches('(?<=😀)b', 'a😀b')).toBe(true)
    expect(matches('^\\p{L}+$', 'яé中')).toBe(true)
  })

  it(`says what the platform says, for any pattern without back-references (seed ${SEED})`, () => {
    const random = randomOf(SEED)
    for (let round = 0; round < 3_000; round++) {
      const pattern = `${random(3) === 0 ? '^' : ''}${anyPattern(random, 4)}${random(3) === 0 ? '$' : ''}`
      const [ours, platform] = [new LinearPattern(pattern, 'u'), new RegExp(pattern, 'u')]
      for (let tries = 0; tries < 5; tries++) {
        const text = Array.from({ length: random(9) }, () => CHARS[random(CHARS.length)]).join('')
        const verdict = { pattern, text, matches: ours.test(text, () => undefined) }
        expect(verdict).toEqual({ pattern, text, matches: platform.test(text) })
      }
    }
  })
})

const CHARS = ['a', 'b', 'c', 'd', '1', ' ', '\n', 'я', '_', 'é', '\u2028']
const ATOMS = 'a b c . \\d \\w \\s \\S [ab] [^a] [b-d] \\b \\B ^ $ я \\u{44f} \\n [\\w-] \\x61'.split(' ')
const QUANTIFIERS = ['*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '{0,2}?', '{0}']

function anyPattern(random: (below: number) => number, depth: number): string {
  const kind = random(9)
  if (depth === 0 || kind < 3) return ATOMS[random(ATOMS.length)] ?? 'a'
  const inner = anyPattern(random, depth - 1)
  if (kind === 3) return `(${inner}|${anyPattern(random, depth - 1)})`
  if (kind === 4) return `(?:${inner})${QUANTIFIERS[random(QUANTIFIERS.length)]}`
  if (kind === 5) return `(?${['=', '!', '<=', '<!'][random(4)]}${inner})`
  return kind === 6 ? `(${inner})` : `${inner}${anyPattern(random, depth - 1)}`
}

function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
