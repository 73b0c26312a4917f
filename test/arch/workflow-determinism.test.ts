/**
 * What runs in Temporal's sandbox is deterministic: the workflow's files and all they import use no clock but the workflow's
 * own, no chance, no network, file, process or environment, and keep nothing in their modules (TMP-04).
 */
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { importsOf, parse, place, walk } from './source.ts'

const SANDBOX = 'src/adapters/engines/temporal/sandbox'
/** What the worker loads there: the workflow, and before it what is loaded once for all workflows. */
const ENTRIES = [`${SANDBOX}/generic-workflow.ts`, `${SANDBOX}/no-stack-traces.ts`]
/** The SDK's own packages for workflow code; it checks them itself. */
const ALLOWED = new Set(['@temporalio/workflow', '@temporalio/common'])
const BANNED = new Set([
  'process',
  'globalThis',
  'global',
  'require',
  'fetch',
  'performance',
  'crypto',
  'Buffer',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'WeakRef',
  'FinalizationRegistry',
  'console',
  'Intl',
])

/** Everything that ends up in the bundle: imports of types are erased. */
function bundled(entries: readonly string[]): readonly string[] {
  const found = new Set(entries)
  for (const path of found)
    for (const { to, external, typeOnly } of importsOf(path)) if (!external && !typeOnly) found.add(to)
  return [...found]
}

const files = bundled(ENTRIES)

function isMemberName(node: ts.Node): boolean {
  return node.parent !== undefined && ts.isPropertyAccessExpression(node.parent) && node.parent.name === node
}

function violations(source: ts.SourceFile): readonly string[] {
  const found: string[] = []
  walk(source, (node) => {
    const isMember = isMemberName(node)
    if (ts.isIdentifier(node) && BANNED.has(node.text) && !isMember) found.push(`${place(node)}: ${node.text}`)
    if (ts.isPropertyAccessExpression(node) && node.expression.getText() === 'Math' && node.name.text === 'random')
      found.push(`${place(node)}: Math.random`)
    // In the sandbox `Date.now()` is the time of the workflow; a `new Date()` is too, but says less.
    if (ts.isNewExpression(node) && node.expression.getText() === 'Date') found.push(`${place(node)}: new Date`)
    if (ts.isVariableStatement(node) && node.parent === source && !(node.declarationList.flags & ts.NodeFlags.Const))
      found.push(`${place(node)}: a variable of the module`)
  })
  return found
}

describe('the workflow', () => {
  it('is the files of one folder, all of them, and imports nothing but the SDK for workflows [TMP-04, TMP-01]', () => {
    const ours = files.filter((path) => path.startsWith(`${SANDBOX}/`))
    expect([...ours].sort()).toEqual(productFiles(SANDBOX))
    const outside = files.flatMap(importsOf).filter(({ external, typeOnly }) => external && !typeOnly)
    expect(outside.filter(({ to }) => !ALLOWED.has(to)).map(({ at, to }) => `${at}: ${to}`)).toEqual([])
  })

  it('knows no plan, no log and no decision [TMP-01]', () => {
    expect(files.filter((path) => !path.startsWith(`${SANDBOX}/`))).toEqual(['src/core/limits.ts'])
  })

  it.each(files)('%s has no clock, chance, outside world or state of its own [TMP-04]', (path) => {
    expect(violations(parse(path))).toEqual([])
  })

  it('would be caught if it had', () => {
    const bad = 'let n = 0\nexport const f = () => [process.env, Math.random(), new Date(), fetch("x"), n++]\n'
    const source = ts.createSourceFile('bad.ts', bad, ts.ScriptTarget.Latest, true)
    expect(violations(source).map((one) => one.split(': ')[1])).toEqual([
      'a variable of the module',
      'process',
      'Math.random',
      'new Date',
      'fetch',
    ])
  })
})
