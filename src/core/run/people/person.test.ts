import { describe, expect, it } from 'vitest'
import { isBlank, isSamePerson, personKey } from './person.ts'

/** Of Unicode's own classes: what is not seen, or is seen by nobody alike. Halves of characters stand in no text that is kept. */
const NOT_SEEN = /^[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}\p{Cf}\p{Co}\p{Cn}\u034f\u2800\ufffc\ufffd]$/u

function* notSeen(): Generator<string> {
  for (let at = 0; at <= 0x10_ff_ff; at += 1) {
    if (at >= 0xd8_00 && at <= 0xdf_ff) continue
    const one = String.fromCodePoint(at)
    if (NOT_SEEN.test(one)) yield one
  }
}

describe('one person', () => {
  it('is not another by any character that cannot be seen, is private, or is not assigned [MAN-08]', () => {
    const others = [...notSeen()].filter((one) => personKey(`a${one}na${one}`) !== 'ana' || !isBlank(one))
    expect(others.map((one) => one.codePointAt(0)?.toString(16))).toEqual([])
  })

  it('is not another by the case or the form of any letter there is [MAN-08]', () => {
    const others: string[] = []
    for (let at = 0; at <= 0x10_ff_ff; at += 1) {
      if (at >= 0xd8_00 && at <= 0xdf_ff) continue
      const one = String.fromCodePoint(at)
      const written = [one.toLowerCase(), one.toUpperCase(), one.normalize('NFD'), one.normalize('NFKD')]
      const forms = written.filter((form) => form !== one)
      if (forms.some((form) => personKey(form) !== personKey(one))) others.push(one)
    }
    expect(others).toEqual([])
    expect(isSamePerson('JOHANNA WEIẞ', 'Johanna Weiß')).toBe(true)
  })

  it('is another by a letter that can be seen', () => {
    for (const other of ['anna', 'an', 'anaé', 'ana1', 'аna']) expect(isSamePerson('ana', other)).toBe(false)
    expect(isSamePerson('zoë', 'ZOE\u0308')).toBe(true)
  })
})
