/**
 * The page in the browser: it may import the core and the client, nothing else of the product, and no package but React. So it shows
 * what the core decides and asks what any program may ask; and no text of a stranger can become markup in it.
 */
import ts from 'typescript'
import { expect, it } from 'vitest'
import { filesUnder, textOf } from '../../scripts/repository.ts'
import { importsOf, parse, place, walk } from './source.ts'

/** In the order in which they may import each other, as in `rooms.test.ts`. */
const ROOMS = [
  'server',
  'address',
  'shown',
  'keys',
  'verify',
  'history',
  'acts',
  'graph',
  'timeline',
  'events',
  'inspector',
  'run',
  'bundle',
  'fleet',
  'runs',
  'palette',
  'plans',
  'fork',
  'compare',
  'editor',
  'tasks',
  'schedules',
  'triggers',
  'api-keys',
  'queue',
  'pools',
  'engines',
  'feed',
  'alerts',
  'audit',
  'frame',
]
const FILES = filesUnder('web/src', ['.ts', '.tsx'])
const MOST_LINES = 300

const roomOf = (path: string): string => path.split('/')[2] ?? ''

function isAllowed(from: string, to: string, external: boolean): boolean {
  if (external) return ['react', 'react-dom'].includes(to)
  if (to.startsWith('src/core/') || to.startsWith('src/client/')) return true
  return (
    to.startsWith('web/src/') &&
    (from === 'web/src/main.tsx' || ROOMS.indexOf(roomOf(to)) <= ROOMS.indexOf(roomOf(from)))
  )
}

it('the page imports the core, the client, React and its own rooms in their order, and nothing else', () => {
  expect(FILES.length).toBeGreaterThan(30)
  const rooms = new Set(FILES.filter((path) => path !== 'web/src/main.tsx').map(roomOf))
  expect([...rooms].filter((room) => !ROOMS.includes(room))).toEqual([])
  const broken = FILES.flatMap((path) =>
    importsOf(path).filter(({ from, to, external }) => !isAllowed(from, to, external)),
  )
  expect(broken.map(({ at, to }) => `${at} imports ${to}`)).toEqual([])
  expect(isAllowed('web/src/run/a.tsx', 'src/app/b.ts', false)).toBe(false)
  expect(isAllowed('web/src/run/a.tsx', 'src/core/b.ts', false)).toBe(true)
  expect(isAllowed('web/src/shown/a.tsx', 'web/src/run/b.ts', false)).toBe(false)
  expect(isAllowed('web/src/run/a.tsx', 'lodash', true)).toBe(false)
})

/** Ways in which a text becomes markup, a script or an address that runs one. */
const MAKES_MARKUP = new Set(['dangerouslySetInnerHTML', 'innerHTML', 'outerHTML', 'insertAdjacentHTML', 'srcDoc'])

it('nothing in the page turns a text into markup', () => {
  const found = FILES.flatMap((path) => {
    const places: string[] = []
    walk(parse(path), (node) => {
      if (ts.isIdentifier(node) && MAKES_MARKUP.has(node.text)) places.push(place(node))
    })
    return places
  })
  expect(found).toEqual([])
})

it('every file of the page opens with what it is for, and is short', () => {
  const unsaid = FILES.filter((path) => !textOf(path).startsWith('/**'))
  const long = FILES.filter((path) => textOf(path).split('\n').length > MOST_LINES)
  expect([unsaid, long]).toEqual([[], []])
})

it('every part that is loaded later waits for a server that is away', () => {
  const found = FILES.filter((path) => /\blazy\b/.test(textOf(path).replaceAll(/\/\*[\s\S]*?\*\//g, '')))
  expect(found).toEqual(['web/src/server/part.ts'])
})
