/** A secret that is printed in pieces: broken into lines, spaced out, indented, in JSON or base64, of whatever width. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Redactor } from '../../src/app/redact/redact.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'

const SECRET = 'Tr0ub4dor&3-correct'
const redactor = (...values: readonly string[]): Redactor => {
  const made = new Redactor()
  for (const value of values) made.hold(value)
  return made
}

const BREAKS = [
  '\n',
  '\r\n',
  '\r',
  ' ',
  '\n    ',
  '\t',
  ' \n ',
  '\n\n',
  '\u00a0',
  '\u200b',
  '\u2028',
  '\v',
  '\f',
  '\u00ad',
]

it.each(BREAKS)('a secret that is wrapped by %j at any width is masked whole', (by) => {
  for (let width = 1; width < SECRET.length; width += 1) {
    const wrapped = SECRET.match(new RegExp(`.{1,${width}}`, 'g'))?.join(by) ?? ''
    expect(redactor(SECRET).text(`key: ${wrapped}.`)).toBe('key: ***.')
    expect(redactor(SECRET).value({ note: [`a ${wrapped}`] })).toEqual({ note: ['a ***'] })
  }
})

it('nothing of it is left wherever it is broken, also in JSON in JSON and in base64', () => {
  const codes: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => JSON.stringify(text),
    (text) => JSON.stringify(JSON.stringify(text)),
    (text) =>
      (
        Buffer.from(SECRET)
          .toString('base64')
          .match(/.{1,5}/g) ?? [text]
      ).join('\n'),
  ]
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(SECRET.length), fc.constantFrom(...BREAKS.slice(0, 8))), { maxLength: 6 }),
      fc.constantFrom(...codes),
      (breaks, code) => {
        let wrapped = SECRET
        for (const [at, by] of breaks.toSorted(([a], [b]) => b - a))
          wrapped = wrapped.slice(0, at) + by + wrapped.slice(at)
        const text = redactor(SECRET).text(`<${code(wrapped)}>`)
        expect(text.replaceAll(/[\s"\\nrtv=]|u200b/g, '')).toBe('<***>')
      },
    ),
  )
})

it('what is wrapped like a secret and is none stays as it is', () => {
  const text = 'the pass\nwords of Tr0ub4dor &\n4-correct'
  expect(redactor(SECRET, 'swords').text(text)).toBe(text)
})

it('a program that prints its secret in lines leaves none of it in the log', async () => {
  const program =
    "console.log(process.env.key.slice(0, 7)); console.log(process.env.key.slice(7)); console.error(process.env.key.replace(/./g, '$& '))"
  await using keelson = await openKeelson({
    directory: ':memory:',
    commands: true,
    secrets: { resolve: (refs) => Promise.resolve(new Map(refs.map((ref) => [ref, { value: SECRET }]))) },
  })
  const plan = loadPlan(
    JSON.stringify({
      plan: 'p',
      version: '1.0.0',
      steps: [{ id: 'a', command: { argv: [process.execPath, '-e', program] }, secrets: { key: 'secret://k' } }],
    }),
  )
  const run = await keelson.start(plan)
  expect((await run.result()).status).toBe('COMPLETED')
  const log = JSON.stringify(await run.records())
  expect([log.includes('Tr0ub4d'), log.includes('T r 0 u b'), log.includes('or&3-correct')]).toEqual([
    false,
    false,
    false,
  ])
})
