/** The core is pure: no time, chance, waiting, outside world or changing module state, by syntax and by compiler. */
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { binaryOf, ROOT, runNode } from '../../scripts/terminal.ts'
import { parse, place, walk } from './source.ts'

const BANNED_NAMES = new Set([
  'Date',
  'Intl',
  'Promise',
  'process',
  'console',
  'Buffer',
  'fetch',
  'globalThis',
  'global',
  'require',
  'performance',
  'crypto',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'structuredClone',
  'WeakRef',
  'FinalizationRegistry',
  'Atomics',
  'SharedArrayBuffer',
])
/** Properties whose answer depends on the machine: its locale or its luck. */
const BANNED_PROPERTIES = new Set([
  'localeCompare',
  'toLocaleString',
  'toLocaleUpperCase',
  'toLocaleLowerCase',
  'toLocaleDateString',
])
const WRITES = new Set([
  'set',
  'add',
  'delete',
  'clear',
  'push',
  'pop',
  'shift',
  'unshift',
  'splice',
  'sort',
  'reverse',
  'fill',
  'copyWithin',
])

/** A name used as a value or type, not as the name of a member. */
function isReference(node: ts.Identifier): boolean {
  const parent = node.parent
  if (ts.isPropertyAccessExpression(parent)) return parent.name !== node
  if (ts.isQualifiedName(parent)) return parent.right !== node
  if (ts.isPropertySignature(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent))
    return parent.name !== node
  if (ts.isMethodSignature(parent) || ts.isMethodDeclaration(parent) || ts.isBindingElement(parent))
    return parent.name !== node
  return true
}

function impurityOf(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node) && BANNED_NAMES.has(node.text) && isReference(node)) return node.text
  if (ts.isAwaitExpression(node)) return 'await'
  if (node.kind === ts.SyntaxKind.AsyncKeyword) return 'async'
  if (ts.isForOfStatement(node) && node.awaitModifier !== undefined) return 'for await'
  if (ts.isMetaProperty(node)) return 'import.meta'
  if (!ts.isPropertyAccessExpression(node)) return undefined
  if (BANNED_PROPERTIES.has(node.name.text)) return node.name.text
  return node.expression.getText() === 'Math' && node.name.text === 'random' ? 'Math.random' : undefined
}

function topLevelConstants(source: ts.SourceFile): ReadonlySet<string> {
  const names = source.statements
    .filter(ts.isVariableStatement)
    .flatMap((statement) => statement.declarationList.declarations)
    .map((declaration) => declaration.name.getText())
  return new Set(names)
}

/** The variable at the root of `a.b[c].d`. */
function rootOf(node: ts.Expression): string | undefined {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) return rootOf(node.expression)
  return undefined
}

function writtenVariable(node: ts.Node): string | undefined {
  if (ts.isBinaryExpression(node)) {
    const assigns =
      node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
      node.operatorToken.kind <= ts.SyntaxKind.LastAssignment
    return assigns ? rootOf(node.left) : undefined
  }
  if (ts.isDeleteExpression(node)) return rootOf(node.expression)
  if (ts.isPostfixUnaryExpression(node)) return rootOf(node.operand)
  if (ts.isPrefixUnaryExpression(node)) {
    const steps = node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken
    return steps ? rootOf(node.operand) : undefined
  }
  if (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    WRITES.has(node.expression.name.text)
  ) {
    return rootOf(node.expression.expression)
  }
  return undefined
}

function shadowed(name: string, node: ts.Node): boolean {
  for (
    let scope: ts.Node | undefined = node.parent;
    scope !== undefined && !ts.isSourceFile(scope);
    scope = scope.parent
  ) {
    const locals: string[] = []
    if (ts.isFunctionLike(scope)) locals.push(...scope.parameters.map((parameter) => parameter.name.getText()))
    if (ts.isBlock(scope)) {
      const statements = scope.statements.filter(ts.isVariableStatement)
      locals.push(
        ...statements.flatMap((item) =>
          item.declarationList.declarations.map((declaration) => declaration.name.getText()),
        ),
      )
    }
    if (locals.includes(name)) return true
  }
  return false
}

function moduleStateOf(source: ts.SourceFile): readonly string[] {
  const found: string[] = []
  for (const statement of source.statements) {
    const mutable = ts.isVariableStatement(statement) && (statement.declarationList.flags & ts.NodeFlags.Const) === 0
    if (mutable) found.push(`${place(statement)} module-level let`)
  }
  const constants = topLevelConstants(source)
  walk(source, (node) => {
    const name = writtenVariable(node)
    if (name !== undefined && constants.has(name) && !shadowed(name, node)) found.push(`${place(node)} writes ${name}`)
  })
  return found
}

function impuritiesOf(source: ts.SourceFile): readonly string[] {
  const found: string[] = []
  walk(source, (node) => {
    const impurity = impurityOf(node)
    if (impurity !== undefined) found.push(`${place(node)} ${impurity}`)
  })
  return found
}

const probe = (text: string): ts.SourceFile => ts.createSourceFile('probe.ts', text, ts.ScriptTarget.Latest, true)

it('the core uses no clock, chance, promise or outside world', () => {
  expect(productFiles('src/core').map(parse).flatMap(impuritiesOf)).toEqual([])
  expect(impuritiesOf(probe('const f = async () => { await g(Date.now(), Math.random()) }'))).toHaveLength(4)
  expect(impuritiesOf(probe('interface A { readonly process: string }; const b = a.process'))).toEqual([])
})

it('the core keeps no module state that changes', () => {
  expect(productFiles('src/core').map(parse).flatMap(moduleStateOf)).toEqual([])
  expect(moduleStateOf(probe('const cache = new Map(); function f() { cache.set(1, 2) }'))).toHaveLength(1)
  expect(moduleStateOf(probe('const seen = []; function f(seen: number[]) { seen.push(1) }'))).toEqual([])
})

it('the core compiles with the language alone, without Node types', { timeout: 300_000 }, async () => {
  const { output } = await runNode(binaryOf('typescript', 'tsc'), ['--noEmit', '-p', join(ROOT, 'src', 'core')], false)
  expect(output).toBe('')
})
