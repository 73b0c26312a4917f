/**
 * Texts for people, cut between characters: half a character cannot be recorded. Names are never cut: a cut name is
 * another name.
 */

const HALF_CHARACTER = /\p{Surrogate}/gu

/** At most `chars` UTF-16 units, well-formed. */
export function cutText(text: string, chars: number): string {
  const isSplit =
    text.length > chars &&
    (text.charCodeAt(chars - 1) & 0xfc00) === 0xd800 &&
    (text.charCodeAt(chars) & 0xfc00) === 0xdc00
  return text.slice(0, isSplit ? chars - 1 : chars).replace(HALF_CHARACTER, '\ufffd')
}
