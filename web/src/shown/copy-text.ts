/**
 * Puts a text on the clipboard. A browser gives a page its clipboard only where the page came over TLS or from this machine; on plain
 * http the text is marked in a field that nobody sees, and copied as a person would copy it.
 */

/** Whether it is there. */
export async function copyText(text: string): Promise<boolean> {
  // Absent on plain http, whatever the types say.
  const clipboard = navigator.clipboard as Clipboard | undefined
  try {
    await clipboard?.writeText(text)
    if (clipboard !== undefined) return true
  } catch {
    // Refused by the browser or its user: the other way may be open.
  }
  return copyMarked(text)
}

function copyMarked(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'sr-only'
  // Nothing outside an open dialog can be marked.
  const place = before?.closest('dialog') ?? document.body
  place.append(field)
  field.select()
  try {
    return document.execCommand('copy')
  } finally {
    field.remove()
    if (before instanceof HTMLElement) before.focus()
  }
}
