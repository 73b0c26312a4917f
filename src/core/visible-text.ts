/**
 * Makes untrusted text safe to show: characters that would move a cursor, colour, ring, hide, reverse or break a line
 * are written as visible escapes. Everything else stays unchanged.
 */

/**
 * C0, DEL and C1 controls; line and paragraph separators; characters that change the direction of text; and invisible
 * ones (zero width, tags, annotations). Joiners stay: scripts and emoji need them.
 */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b\u2060-\u2064\u180e\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
const UNSAFE_BUT_LAYOUT = new RegExp(`(?![\\n\\t])${UNSAFE.source}`, 'gu')
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** On one line, whatever it contains. */
export function visibleText(text: string): string {
  return text.replace(UNSAFE, escaped)
}

/** Line feeds and tabs stay: for text of several lines. */
export function visibleLines(text: string): string {
  return text.replace(UNSAFE_BUT_LAYOUT, escaped)
}

/** For JSON text: the same value, without anything that a terminal would act on. */
export function visibleJson(json: string): string {
  return json.replace(UNSAFE_BUT_LAYOUT, (one) => [...unitsOf(one)].map(unitEscape).join(''))
}

function escaped(one: string): string {
  const point = one.codePointAt(0) ?? 0
  return SHORT[one] ?? (point > 0xffff ? `\\u{${point.toString(16)}}` : unitEscape(point))
}

function* unitsOf(text: string): Generator<number> {
  for (let at = 0; at < text.length; at++) yield text.charCodeAt(at)
}

function unitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
