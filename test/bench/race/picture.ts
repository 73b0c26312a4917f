/**
 * The race as a picture for the docs: a panel for each shape of work, a bar for each contender, Keelson first. Plain SVG without styles of
 * its own, so that it shows wherever a picture does; its colours are readable on light and on dark.
 */
import { FIGURES, isOwn, type FigureKey, type RaceRow } from './figures.ts'
import type { ContenderName } from './lap.ts'

const SHOWN: readonly FigureKey[] = ['a', 'b', 'c', 'd-p50']
const NAMES: Partial<Record<ContenderName, string>> = {
  'keelson-sqlite': 'Keelson, SQLite',
  'keelson-postgres': 'Keelson, PostgreSQL',
  'openworkflow-sqlite': 'openworkflow, SQLite',
  'openworkflow-postgres': 'openworkflow, PostgreSQL',
  'dbos-postgres': 'DBOS, PostgreSQL',
  restate: 'Restate',
}
const ORDER = Object.keys(NAMES) as readonly ContenderName[]

const WIDTH = 860
const LEFT = 190
const RIGHT = 90
const BAR = 16
const STEP = 22
const HEAD = 34
const OWN = '#0b7285'
const PEER = '#868e96'
const INK = '#495057'
const FONT = 'font-family="system-ui, sans-serif"'

function panel(rows: readonly RaceRow[], top: number): { readonly text: string; readonly height: number } {
  const [first] = rows
  const most = Math.max(...rows.map(({ value }) => value))
  const title = `${first?.name ?? ''}, ${first?.unit ?? ''} (${first?.better === 'more' ? 'more is better' : 'less is better'})`
  const bars = rows.map(({ contender, value }, at) => {
    const y = top + HEAD + at * STEP
    const length = Math.max(2, Math.round(((WIDTH - LEFT - RIGHT) * value) / most))
    const middle = y + BAR - 4
    return [
      `<text x="${LEFT - 10}" y="${middle}" text-anchor="end" font-size="12" fill="${INK}" ${FONT}>${NAMES[contender]}</text>`,
      `<rect x="${LEFT}" y="${y}" width="${length}" height="${BAR}" rx="2" fill="${isOwn(contender) ? OWN : PEER}"/>`,
      `<text x="${LEFT + length + 8}" y="${middle}" font-size="12" fill="${INK}" ${FONT}>${told(value)}</text>`,
    ].join('\n')
  })
  const head = `<text x="0" y="${top + 18}" font-size="14" font-weight="600" fill="${INK}" ${FONT}>${title}</text>`
  return { text: [head, ...bars].join('\n'), height: HEAD + rows.length * STEP + 14 }
}

const told = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 })

export function pictureOf(rows: readonly RaceRow[]): string {
  let top = 0
  const panels = FIGURES.filter(({ key }) => SHOWN.includes(key)).map(({ key }) => {
    const own = rows
      .filter(({ figure, contender }) => figure === key && ORDER.includes(contender))
      .sort((one, other) => ORDER.indexOf(one.contender) - ORDER.indexOf(other.contender))
    const { text, height } = panel(own, top)
    top += height
    return text
  })
  const label = 'The race: Keelson beside other durable engines'
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" role="img" aria-label="${label}">
<title>${label}</title>
${panels.join('\n')}
</svg>
`
}
