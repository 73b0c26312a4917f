import { describe, expect, it } from 'vitest'
import { parseTemplate, wholeExpression } from './template.ts'

function partsOf(text: string): unknown {
  const parsed = parseTemplate(text)
  return parsed.ok ? parsed.value : parsed.problems.map((problem) => problem.code)
}

describe('a template', () => {
  it.each([
    ['', []],
    ['plain', [{ literal: 'plain' }]],
    ['${input.a}', [{ expression: 'input.a' }]],
    ['${ input.a }', [{ expression: 'input.a' }]],
    ['a ${b} c ${d}', [{ literal: 'a ' }, { expression: 'b' }, { literal: ' c ' }, { expression: 'd' }]],
    ['$5 and $', [{ literal: '$5 and $' }]],
    ['$${not}', [{ literal: '${not}' }]],
    ['$$${not}', [{ literal: '$${not}' }]],
    ['${{a: b, c: {d: e}}}', [{ expression: '{a: b, c: {d: e}}' }]],
    ["${join('}', input.a)}", [{ expression: "join('}', input.a)" }]],
    ['${input."a}b"}', [{ expression: 'input."a}b"' }]],
    ['${input.a || `"}"`}', [{ expression: 'input.a || `"}"`' }]],
    ["${'it\\'s }'}", [{ expression: "'it\\'s }'" }]],
  ])('splits %j by the quoting rules of JMESPath [DFL-09]', (text, expected) => {
    expect(partsOf(text)).toEqual(expected)
  })

  it.each(['${', '${a', 'x ${"}', "${'a}", '${}', '${  }'])('refuses %j [DFL-09]', (text) => {
    expect(partsOf(text)).toEqual(['EXPR_INVALID_SYNTAX'])
  })

  it('knows a text that is one whole expression from text around one', () => {
    const whole = (text: string): string | undefined => {
      const parsed = parseTemplate(text)
      return parsed.ok ? wholeExpression(parsed.value) : undefined
    }
    expect(whole('${a}')).toBe('a')
    expect(whole(' ${a}')).toBeUndefined()
    expect(whole('${a}${b}')).toBeUndefined()
  })
})
