/** Words that no plan may hold: secrets in plain text, unsafe paths, words of other systems. */
import { describe, expect, it } from 'vitest'
import { told, hintOf, step, top } from '../../../test/fixtures/refused-plan.ts'

describe('secrets', () => {
  it.each(['password', 'token', 'secret', 'apiKey', 'API_KEY', 'api-key', 'Password'])(
    'under %s may not be written out anywhere [SEC-01]',
    (name) => {
      const inline = `{ "${name}": hunter2 }`
      const refused = [
        step(`run: f, with: ${inline}`),
        step(`run: f, with: { deep: [${inline}] }`),
        step(`http: { url: "https://x.example", headers: ${inline} }`),
        step(`http: { url: "https://x.example", query: ${inline} }`),
        step(`http: { url: "https://x.example", body: ${inline} }`),
        step(`command: { argv: [ls], env: ${inline} }`),
        step(`command: { argv: [ls], stdin: ${inline} }`),
        step(`run: f, compensate: { run: g, with: ${inline} }`),
        step(`run: f, fallback: { run: g, with: ${inline} }`),
        top(`context: ${inline}`),
        top(`output: ${inline}`),
        step(`run: f, with: { "${name}": 12345 }`),
        step(`run: f, with: { "${name}": "$\${escaped}" }`),
      ]
      for (const text of refused) expect(told(text).map((line) => line.split(' ')[0])).toEqual(['PLAN_SECRET_INLINE'])
      expect(told(step(`run: f, with: { "${name}": secret://a/b, x: { "${name}": "\${input.t}" } }`))).toEqual([])
    },
  )

  it.each([
    ['secret://payments/token_1-a', true],
    ['secret://', false],
    ['secret://a b', false],
    ['PAY_TOKEN', false],
    ['secret://a.b', false],
    ['https://x', false],
  ])('in a declared slot must be references: %s is accepted: %s [SEC-01]', (reference, accepted) => {
    expect(told(step(`run: f, secrets: { authorization: "${reference}" }`))).toEqual(
      accepted ? [] : ['PLAN_SECRET_INLINE /steps/0/secrets/authorization'],
    )
  })

  it('written as a bare name get the reference suggested', () => {
    expect(hintOf(step('run: f, secrets: { authorization: PAY_TOKEN }'))).toBe("did you mean 'secret://PAY_TOKEN'?")
  })
})

describe('paths into the context', () => {
  it.each(['__proto__.x', 'a.__proto__', 'constructor.prototype', 'a.prototype', 'a..b', '', 'a.b[0]', '.a', 'a b'])(
    'cannot be %j [DFL-11]',
    (path) => {
      expect(told(step(`run: f, capture: [{ destination: "${path}" }]`))).toEqual([
        'INVALID_STEP_SCHEMA /steps/0/capture/0/destination',
      ])
      expect(told(step(`run: f, isolate: { readOnly: ["${path}"] }`))).toEqual([
        'INVALID_STEP_SCHEMA /steps/0/isolate/readOnly/0',
      ])
    },
  )
})

describe('words of other systems', () => {
  it.each([
    ['onError: continue', 'write onFailure: continue or fallback for this step, or policy.onFailure for the plan'],
    ['fallbackStepId: b', 'write fallback: { run: …, with: … }'],
  ])('on a step are refused: %s gets what to write here [ERR-08]', (field, hint) => {
    const text = step(`run: f, ${field}`)
    expect(told(text)).toEqual([`INVALID_STEP_SCHEMA /steps/0/${field.split(':')[0]}`])
    expect(hintOf(text)).toBe(hint)
  })

  it('on a plan are refused too [ERR-08]', () => {
    expect(told(top('onError: fail'))).toEqual(['PLAN_UNKNOWN_FIELD /onError'])
    expect(hintOf(top('onError: fail'))).toBe('write policy: { onFailure: … }')
  })

  it.each([
    ['actionId: x', 'write stepId'],
    ['compensationOperation: a:b', 'write compensate: { run: … }'],
    ['source: context', 'write with: { name: "${…}" }'],
    ['validation: {}', 'write inputSchema or outputSchema'],
  ])('such as %s are answered with ours', (field, hint) => {
    expect(hintOf(step(`run: f, ${field}`))).toBe(hint)
  })
})
