/**
 * Judges a regular expression by its text: one that repeats something which itself repeats (`(a+)+`, `(a|a)*`) can take
 * time exponential in the length of the text it is tried on, so it is refused. Plain patterns pass.
 */
const MAX_PATTERN_CHARS = 1_024

interface Group {
  /** Holds a repeat or a choice, either of which makes repeating the group dangerous. */
  ambiguous: boolean
}

export function isSafePattern(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_CHARS) return false
  const open: Group[] = [{ ambiguous: false }]
  let closed: Group | undefined
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at)
    const group = open.at(-1)
    if (group === undefined) return true
    const repeat = repeatAt(pattern, at)
    if (repeat > 0) {
      if (closed?.ambiguous === true) return false
      group.ambiguous = true
      at += repeat - 1
    }
    closed = undefined
    if (repeat > 0) continue
    if (char === '\\') at += 1
    else if (char === '[') at = endOfClass(pattern, at)
    else if (char === '(') open.push({ ambiguous: false })
    else if (char === '|') group.ambiguous = true
    else if (char === ')') {
      closed = open.pop()
      const outer = open.at(-1)
      if (outer !== undefined && closed?.ambiguous === true) outer.ambiguous = true
    }
  }
  return true
}

/** Length of a quantifier that can repeat more than once here: `*`, `+`, `{n,}`, `{n,m}`; 0 where there is none. */
function repeatAt(pattern: string, at: number): number {
  const char = pattern.charAt(at)
  if (char === '*' || char === '+') return 1
  if (char !== '{') return 0
  const match = /^\{\d+(,\d*)?\}/.exec(pattern.slice(at, at + 24))
  return match === null ? 0 : match[0].length
}

function endOfClass(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern.charAt(at) === '\\') at += 1
    else if (pattern.charAt(at) === ']') return at
  }
  return pattern.length
}
