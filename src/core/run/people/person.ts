/**
 * Who counts as one person where duties are separated. Ids stand in the log exactly as they were authenticated; here two that
 * differ only by case, width or blanks are the same person, so that nobody becomes a second one by a way of writing.
 */

/**
 * What cannot be seen, or looks like nothing in particular: blanks of every kind, controls, format characters, what fonts leave
 * out, code points for private use or not assigned, halves of characters, and the stand-ins for what cannot be shown.
 */
const UNSEEN = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{C}\u2800\ufffc\ufffd]/gu

export function isBlank(text: string): boolean {
  return text.replaceAll(UNSEEN, '') === ''
}

/** Equal for all ways to write one person's id. */
export function personKey(actorId: string): string {
  const plain = actorId.replaceAll(UNSEEN, '').normalize('NFKC')
  // Down, up and down again: some letters have one capital and two small forms, and ẞ is capital already and stays one letter, while
  // ß becomes two. A dotted capital I leaves its dot behind.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase().replaceAll('i\u0307', 'i')
  return folded.normalize('NFKC').replaceAll(UNSEEN, '')
}

export function isSamePerson(one: string, other: string): boolean {
  return one === other || personKey(one) === personKey(other)
}
