/**
 * Times in options of the library, as the plan format has them: every option in milliseconds (`ttlMs`) has a twin without the
 * unit that takes text (`ttl: '30s'`). Both at once say the same thing twice, and are refused.
 */
import { DURATION_EXAMPLES, durationMs, type Duration } from './duration.ts'
import { needKnown, type OptionNames } from './known-options.ts'
import { needKind, type Kind } from './option-kinds.ts'
import { fail } from './problems/problem.ts'

type Twin<K> = K extends `${infer N}Ms` ? N : never

/** With the twins of its options in milliseconds. */
export type WithTexts<T> = T & { readonly [K in keyof T as Twin<K>]?: Duration }

const TIME: Kind = {
  what: `a time such as ${DURATION_EXAMPLES}`,
  is: (value) => typeof value === 'string' && (durationMs(value) ?? 0) > 0,
}

/** Known options only, and all times in milliseconds. */
export function readOptions<T extends object>(call: string, given: WithTexts<T>, names: OptionNames<T>): T {
  const twins = Object.keys(names).flatMap((name) => (name.endsWith('Ms') ? [name.slice(0, -2)] : []))
  const all = { ...names, ...Object.fromEntries(twins.map((twin) => [twin, TIME])) }
  needKnown(call, given, all as OptionNames<WithTexts<T>>)
  const options: Record<string, unknown> = { ...given }
  for (const twin of twins) {
    const text = options[twin]
    delete options[twin]
    if (text === undefined) continue
    if (options[`${twin}Ms`] !== undefined)
      fail('OPTION_INVALID', `${call}: '${twin}' and '${twin}Ms' are the same option: give one of them`)
    options[`${twin}Ms`] = durationMs(text as string)
  }
  return options as T
}

/** A time that is an argument of its own. */
export function readTime(where: string, given: number | Duration, kind: Kind): number {
  if (typeof given !== 'string') {
    needKind(where, given, kind)
    return given
  }
  needKind(where, given, TIME)
  return durationMs(given) ?? 0
}
