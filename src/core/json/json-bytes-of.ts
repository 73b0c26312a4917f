/** The maximum number of bytes of a text in JSON, without its quotes: the core has no encoder. */

const ESCAPED = 6

export function jsonBytesOf(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x20) bytes += ESCAPED
    else if (unit < 0x80) bytes += unit === 0x22 || unit === 0x5c ? 2 : 1
    // Half a character is written as an escape; a character of two units takes four bytes.
    else bytes += unit >= 0xd800 && unit <= 0xdfff ? ESCAPED : 3
  }
  return bytes
}
