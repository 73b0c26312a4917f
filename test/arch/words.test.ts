/** One word, one meaning: words that ARCHITECTURE.md retires are used by no code and no document. */
import { expect, it } from 'vitest'
import { filesUnder, productFiles, textOf } from '../../scripts/repository.ts'

/** Each with what is said instead. */
const RETIRED: readonly (readonly [RegExp, string])[] = [
  [/\bForeignRecord\b/, 'LogRecord'],
  [/\bEffectReport\b/, 'EffectOutcome'],
  [/\bAdvanceReport\b/, 'TurnResult'],
  [/\bEngineAdapter\b/, 'EngineOperations'],
  [/\bupkeep\b/i, 'maintenance'],
  [/\bdeserted\b/, 'queueWithoutWorker'],
  [/\b(?:put|keep|Stored)Snapshot\b/, 'checkpoint'],
  [/(?<!\bdead[ -]|\bcapital |\bfirst |\bsmall |\b[Ll]ook-alike |-)\b[Ll]etters?\b(?!-|\.sql|, digits)/, 'inbox row'],
  [/(?<!_)\b[Hh]ooks?\b|\w?Hook[A-Z]\w*|\bHOOK_\w+|(?!addHook\b)\b\w+Hooks?\b/, 'compensation, or listener'],
  [/\b(?:state|next)\.undo\b|\bundo(?:Next|Outcome|Summary|RunId|Child)\b/, 'compensation'],
  [/\b(?:stepsOf<|forEachStep|keelson\.operations\(|keelson\.services\b)/, 'step, step.forEach, as(actor)'],
  [/\bProcessSlots\b/, 'ProcessPlaces: a slot is what an event is about'],
  [/DESIGN §|[(,] ?[IC]\d{1,2}\)/, 'the rule itself'],
]

/** Characters of a text are letters, and nothing else is. */
const ABOUT_CHARACTERS = new Set([
  'src/app/redact/escapes.ts',
  'src/core/plan/format/kinds.ts',
  'src/core/run/people/person.ts',
])

function retiredIn(text: string): readonly string[] {
  return RETIRED.flatMap(([word, instead]) => {
    const found = word.exec(text)
    return found === null ? [] : [`${found[0]}: say ${instead}`]
  })
}

it('no product file and no document uses a retired word', () => {
  const documents = filesUnder('docs', ['.md']).concat('README.md', 'CONTRIBUTING.md', 'GUARANTEES.md')
  const files = [...productFiles(), ...documents].filter((file) => !ABOUT_CHARACTERS.has(file))
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap((file) => retiredIn(textOf(file)).map((what) => `${file}: ${what}`))).toEqual([])
})

it('a retired word is noticed, and its homonyms are not', () => {
  expect(retiredIn('a letter of the inbox')).toEqual(['letter: say inbox row'])
  expect(retiredIn('nextHook(state)')).toEqual(['nextHook: say compensation, or listener'])
  expect(retiredIn('HOOK_FAILED')).toEqual(['HOOK_FAILED: say compensation, or listener'])
  expect(retiredIn("from 'node:async_hooks'; a webhook; server.addHook('onRequest')")).toEqual([])
  expect(retiredIn('a dead letter; text of letters, digits')).toEqual([])
})

/** Documents and answers that others defined: they keep their names. */
const IN_THEIR_WORDS: readonly RegExp[] = [
  /^src\/(?:edge|client|adapters|testing)\//,
  /^src\/core\/(?:api|plan\/import)\//,
  // What a person who completes a task sends, and the evidence that is made of it.
  /^src\/core\/(?:events\/manual-completion|view\/show\/evidence|plan\/format\/step-fields)\.ts$/,
  /^src\/(?:app\/(?:steer\/manual-tasks|inbox\/task-completion)|library\/option-names)\.ts$/,
  // What a listener is told, and the key that is made of four names.
  /^src\/(?:ports\/(?:listeners|idempotency)|app\/(?:views\/listener-events|execute\/(?:step-idempotency-key|execute-step)))\.ts$/,
]

it('inside, a run, a step and an attempt have one name each; the names of other contracts stay at the edges [X-89]', () => {
  const inside = productFiles().filter(
    (file) => file.startsWith('src/') && !IN_THEIR_WORDS.some((words) => words.test(file)),
  )
  expect(inside.length).toBeGreaterThan(400)
  const named = inside.flatMap((file) => {
    const found = /\b(?:execution|action|task)Id\b/.exec(textOf(file))
    return found === null ? [] : [`${file}: ${found[0]}`]
  })
  expect(named).toEqual([])
})
