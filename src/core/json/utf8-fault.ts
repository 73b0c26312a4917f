/** Where bytes stop being UTF-8, for strict decoders that must report the fault. */

export interface Utf8Fault {
  readonly line: number
  /** In characters, from 1. */
  readonly column: number
  readonly message: string
}

/** For bytes that a strict decoder refused. */
export function utf8Fault(bytes: Uint8Array): Utf8Fault {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return { line: 1, column: 1, message: 'this is UTF-16; only UTF-8 is read' }
  let line = 1
  let column = 1
  for (let at = 0; at < bytes.length;) {
    const length = lengthAt(bytes, at)
    if (length === 0) {
      const byte = (bytes[at] ?? 0).toString(16).padStart(2, '0')
      return { line, column, message: `the byte 0x${byte} (number ${at + 1}) is not UTF-8` }
    }
    column = bytes[at] === 0x0a ? 1 : column + 1
    if (bytes[at] === 0x0a) line += 1
    at += length
  }
  return { line, column, message: 'this is not UTF-8' }
}

/**
 * Length of the character that begins there; 0 when none does (RFC 3629: no overlong forms, no surrogates, at most
 * U+10FFFF).
 */
function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const length =
    first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0
  for (let next = 1; next < length; next++) {
    const byte = bytes[at + next] ?? 0
    if (byte < 0x80 || byte > 0xbf) return 0
  }
  const second = bytes[at + 1] ?? 0
  const wrong =
    (first === 0xe0 && second < 0xa0) ||
    (first === 0xed && second > 0x9f) ||
    (first === 0xf0 && second < 0x90) ||
    (first === 0xf4 && second > 0x8f)
  return wrong ? 0 : length
}
