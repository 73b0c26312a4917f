/** The patterns of one schema: each is compiled once, and their total size is bounded. */
import { LIMITS } from '../../core/limits.ts'
import { LinearPattern } from './linear-pattern.ts'

/** A few hundred patterns of usual size; their memory is kept as long as the schema. */
const MAX_STATES = 50_000

export class PatternShelf {
  readonly #made = new Map<string, LinearPattern>()
  #states = 0

  /** Throws for a pattern that cannot be matched in linear time. */
  take(pattern: string): LinearPattern {
    const known = this.#made.get(pattern)
    if (known !== undefined) return known
    const shown = pattern.slice(0, 200)
    if (pattern.length > LIMITS.patternChars)
      throw new Error(`the pattern \`${shown}\` is too long; at most ${LIMITS.patternChars} characters are allowed`)
    const made = makePattern(pattern, shown)
    this.#states += made.size
    if (this.#states > MAX_STATES) throw new Error('its patterns are too many and too long together')
    this.#made.set(pattern, made)
    return made
  }
}

function makePattern(pattern: string, shown: string): LinearPattern {
  try {
    return new LinearPattern(pattern, 'u')
  } catch (thrown) {
    throw new Error(
      `the pattern \`${shown}\` cannot be used: ${thrown instanceof Error ? thrown.message : 'it is none'}`,
      {
        cause: thrown,
      },
    )
  }
}
