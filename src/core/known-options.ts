/**
 * Options of the library's calls. An unknown name is refused. Otherwise a misspelt option would be ignored, and options built from
 * outside data could set what the call does not offer. A value of the wrong kind is refused too.
 */
import { didYouMean } from './did-you-mean.ts'
import { needKind, type Kind } from './option-kinds.ts'
import { fail } from './problems/problem.ts'

/** All options of a call: the type makes the list complete. `true`: whoever uses it looks at its value. */
export type OptionNames<T> = { readonly [K in keyof T]-?: Kind | true }

/** `call`: its name, such as `fork`. */
export function needKnown<T extends object>(call: string, given: T, names: OptionNames<T>): void {
  const options: unknown = given
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    return fail('OPTION_UNKNOWN', `the options of ${call} must be an object`)
  for (const [name, value] of Object.entries(options) as readonly (readonly [string, unknown])[]) {
    if (!Object.hasOwn(names, name))
      fail('OPTION_UNKNOWN', `${call} has no option '${name}'`, didYouMean(name, Object.keys(names)))
    const kind = names[name as keyof T]
    if (kind !== true && value !== undefined) needKind(`${call}: the option '${name}'`, value, kind)
  }
}
