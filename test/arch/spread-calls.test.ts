/**
 * A list spread into a call hands each element over as an argument, and some 100,000 of them overflow the stack: a secret of 130,000 lines
 * did so. Calls that take any number of arguments get no list; `appendAll`, `least` and `greatest` of `src/core/collections/` take one.
 */
import ts from 'typescript'
import { expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { parse, place, walk } from './source.ts'

const TAKES_ANY_NUMBER = new Set(['push', 'unshift', 'splice', 'concat', 'min', 'max', 'fromCharCode', 'fromCodePoint'])

/** Lists with a bound of their own, far below the limit. */
const BOUNDED: Readonly<Record<string, string>> = {
  'src/app/advance/decision-round.ts': 'effects and blobs of one decision: at most the concurrency of a plan, 10,000',
  'src/app/redact/decoded-text.ts': 'a chunk of a size that the file sets',
}

function spreadsIn(file: ts.SourceFile): readonly string[] {
  const found: string[] = []
  walk(file, (node) => {
    if (!ts.isCallExpression(node) || !node.arguments.some(ts.isSpreadElement)) return
    const { expression } = node
    if (ts.isPropertyAccessExpression(expression) && TAKES_ANY_NUMBER.has(expression.name.text)) found.push(place(node))
  })
  return found
}

it('no list is spread into a call that takes any number of arguments', () => {
  const files = productFiles().map((path) => ({ path, spreads: spreadsIn(parse(path)) }))
  expect(files.filter(({ path }) => BOUNDED[path] === undefined).flatMap(({ spreads }) => spreads)).toEqual([])
  const needless = Object.keys(BOUNDED).filter((path) => files.find((file) => file.path === path)?.spreads.length === 0)
  expect(needless).toEqual([])
})

it('a spread is found wherever it stands among the arguments, and a pass of all arguments is none', () => {
  const source = ts.createSourceFile(
    'x.ts',
    'a.push(1, ...b); Math.max(...b); f(...args); [...b]',
    ts.ScriptTarget.Latest,
    true,
  )
  expect(spreadsIn(source)).toEqual(['x.ts:1', 'x.ts:1'])
})
