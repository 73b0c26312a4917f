/** A text cut to the room it has, as wide as this browser draws it: fonts differ by a third in width. */

export const NAME_FONT = "600 12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
export const DETAIL_FONT = "11px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

/** Texts are the same again and again, at every move of the cursor. */
const known = new Map<string, string>()
const MOST_KNOWN = 20_000
let canvas: CanvasRenderingContext2D | null | undefined

export function fitted(text: string, font: string, width: number): string {
  const key = `${font} ${width} ${text}`
  const kept = known.get(key)
  if (kept !== undefined) return kept
  if (known.size >= MOST_KNOWN) known.clear()
  const cut = cutTo(text, font, width)
  known.set(key, cut)
  return cut
}

function cutTo(text: string, font: string, width: number): string {
  canvas ??= document.createElement('canvas').getContext('2d')
  if (canvas === null) return text
  const context = canvas
  context.font = font
  const fits = (some: string): boolean => context.measureText(some).width <= width
  if (fits(text)) return text
  let [low, high] = [0, text.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (fits(`${text.slice(0, middle)}…`)) low = middle
    else high = middle - 1
  }
  return `${text.slice(0, low)}…`
}
