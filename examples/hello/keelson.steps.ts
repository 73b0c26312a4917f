/** The functions that plan.yaml calls: ordinary code, never replayed. */
import { setTimeout as pause } from 'node:timers/promises'
import type { StepContext } from 'keelson'

const WORDS: Readonly<Record<string, string>> = {
  en: 'hello',
  fr: 'bonjour',
  de: 'hallo',
  sv: 'hej',
  pt: 'olá',
  fi: 'hei',
}

/** Pretends to be a service that answers 503 to whoever comes first. */
export async function openDictionary(_input: unknown, { attempt, signal }: StepContext) {
  await pause(300, undefined, { signal })
  if (attempt === 1) throw Object.assign(new Error('the dictionary is busy'), { code: 'HTTP_503', statusCode: 503 })
  return { words: WORDS }
}

export async function translate(
  input: { readonly language: string; readonly words: Readonly<Record<string, string>> },
  { signal }: StepContext,
) {
  await pause(250 + 25 * (input.language.charCodeAt(0) % 7), undefined, { signal })
  return input.words[input.language] ?? `(${input.language}?)`
}

export function shout(input: { readonly words: readonly string[] }) {
  return input.words.map((word) => word.toUpperCase())
}

export async function greet(
  input: { readonly name: string; readonly words: readonly string[] },
  { signal }: StepContext,
) {
  await pause(400, undefined, { signal })
  return { greeting: `${input.words.join(', ')}, ${input.name}!` }
}
