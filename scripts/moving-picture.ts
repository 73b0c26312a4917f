/**
 * Frames of a terminal as one SVG that moves by itself, without script and without a network: each frame is shown for its part of the
 * time by CSS. Who asked for less motion sees the last frame.
 */
import type { Row } from './screen.ts'

export interface Frame {
  readonly rows: readonly Row[]
  /** How long it is shown. */
  readonly ms: number
}

const LINE = 20
const CHAR = 8.4
const LEFT = 20
const TOP = 52
const STYLE = `text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:14px;white-space:pre;fill:#e6edf3}
.green{fill:#56d364}.red{fill:#ff7b72}.yellow{fill:#e3b341}.blue{fill:#79c0ff}.magenta{fill:#d2a8ff}.cyan{fill:#56d4dd}.bold{font-weight:700}.dim{fill:#8b949e}
.f{visibility:hidden}`

export function movingPicture(frames: readonly Frame[], columns: number, label: string): string {
  const height = TOP + LINE * Math.max(...frames.map(({ rows }) => rows.length))
  const width = Math.ceil(LEFT * 2 + columns * CHAR)
  const total = frames.reduce((sum, { ms }) => sum + ms, 0)
  const seconds = (total / 1000).toFixed(1)
  let from = 0
  const rules: string[] = []
  const groups = frames.map(({ rows, ms }, at) => {
    const [start, end] = [from, from + ms].map((instant) => ((100 * instant) / total).toFixed(2))
    from += ms
    const before = at === 0 ? '' : `0%{visibility:hidden}`
    const after = at === frames.length - 1 ? '' : `${end}%{visibility:hidden}`
    rules.push(`@keyframes k${at}{${before}${start}%{visibility:visible}${after}}`)
    rules.push(`.k${at}{animation:k${at} ${seconds}s step-end infinite}`)
    return `<g class="f k${at}${at === frames.length - 1 ? ' last' : ''}">${rows.map(rowText).join('')}</g>`
  })
  const calm = '@media (prefers-reduced-motion:reduce){.f{animation:none}.last{visibility:visible}}'
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">`,
    `<style>${STYLE}\n${rules.join('\n')}\n${calm}</style>`,
    '<rect width="100%" height="100%" rx="8" fill="#0d1117"/>',
    '<circle cx="20" cy="18" r="5" fill="#ff5f56"/><circle cx="38" cy="18" r="5" fill="#ffbd2e"/><circle cx="56" cy="18" r="5" fill="#27c93f"/>',
    ...groups,
    '</svg>',
    '',
  ].join('\n')
}

function rowText(row: Row, at: number): string {
  let column = 0
  const pieces = row.map(({ text, style }) => {
    const x = (LEFT + column * CHAR).toFixed(1)
    column += [...text].length
    return text.trim() === ''
      ? ''
      : `<tspan x="${x}"${style === '' ? '' : ` class="${style}"`}>${escaped(text)}</tspan>`
  })
  const inner = pieces.join('')
  return inner === '' ? '' : `<text y="${TOP + at * LINE}">${inner}</text>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
