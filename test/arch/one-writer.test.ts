/**
 * One writer in fact: drafts become bytes, and bytes reach the store, through one file each outside the room that offers it.
 * A name counts wherever it stands, so that an alias, a destructuring or a computed access is seen as well as a call.
 */
import ts from 'typescript'
import { expect, it } from 'vitest'
import { isTestFile, productFiles } from '../../scripts/repository.ts'
import { parse, place, walk } from './source.ts'

interface Way {
  /** The rooms that make it, and the stores and their suite behind the port. */
  readonly rooms: readonly string[]
  readonly caller: string
  /** Only as a member of a store: the word itself means other things elsewhere. */
  readonly ofStore?: true
}

const WRITER = 'src/app/advance/commit-turn.ts'
const BEHIND_PORT = ['src/ports/', 'src/adapters/stores/', 'src/testing/']

const WAYS: Readonly<Record<string, Way>> = {
  sealEvents: { rooms: ['src/app/log/', 'src/testing/'], caller: WRITER },
  submit: { rooms: ['src/app/commit/'], caller: WRITER },
  // Behind the queue there is the store itself. The row of an imported run is committed without events.
  commit: {
    rooms: [...BEHIND_PORT, 'src/app/import/imported-row.ts'],
    caller: 'src/app/commit/queue.ts',
    ofStore: true,
  },
  // Events that others wrote: no decider, no turn (P-15).
  sealOne: { rooms: ['src/app/log/'], caller: 'src/app/import/append-open.ts' },
  appendOpen: { rooms: BEHIND_PORT, caller: 'src/app/import/append-open.ts' },
}

interface Use {
  readonly name: string
  readonly path: string
  readonly at: string
}

function isOfStore(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) && parent.name === node)
    return /(^|[.#])(\w*[sS]tore)$/.test(parent.expression.getText())
  return ts.isBindingElement(parent) && /\bstore\b/i.test(parent.parent.parent.getText().split('=').at(-1) ?? '')
}

function usesIn(path: string, source: ts.SourceFile): readonly Use[] {
  const found: Use[] = []
  walk(source, (node) => {
    const isName = ts.isIdentifier(node) || (ts.isStringLiteralLike(node) && ts.isElementAccessExpression(node.parent))
    if (!isName || !Object.hasOwn(WAYS, node.text)) return
    if (WAYS[node.text]?.ofStore === true && !isOfStore(node)) return
    found.push({ name: node.text, path, at: `${place(node)} ${node.text}` })
  })
  return found
}

function isStranger({ name, path }: Use): boolean {
  const { rooms, caller } = WAYS[name] as Way
  return path !== caller && !rooms.some((room) => path.startsWith(room))
}

const uses = productFiles()
  .filter((path) => !isTestFile(path))
  .flatMap((path) => usesIn(path, parse(path)))

it('drafts are sealed and commits submitted by one file each outside their room', () => {
  expect(uses.filter(isStranger).map(({ at }) => at)).toEqual([])
})

it('every way to the log is used by the caller that is named for it', () => {
  const idle = Object.entries(WAYS).filter(
    ([name, { caller }]) => !uses.some((use) => use.name === name && use.path === caller),
  )
  expect(idle.map(([name]) => name)).toEqual([])
})

it('the search sees calls, aliases, destructuring and computed access, and leaves other words alone', () => {
  const lines = [
    "import { sealEvents as s } from '../log/seal.ts'",
    'advancer.queue.submit(commit)',
    'const { submit } = queue',
    "queue['submit'](commit)",
    'await services.store.commit([one])',
    'this.#store.commit(batch)',
    'const { commit } = services.store',
    'const { commit } = written',
    'this.#commit(run, turn)',
  ]
  const probe = ts.createSourceFile('src/app/start/probe.ts', lines.join('\n'), ts.ScriptTarget.Latest, true)
  const seen = usesIn('src/app/start/probe.ts', probe).filter(isStranger)
  expect(seen.map(({ at }) => at.split(':')[1])).toEqual([
    '1 sealEvents',
    '2 submit',
    '3 submit',
    '4 submit',
    '5 commit',
    '6 commit',
    '7 commit',
  ])
})
