/**
 * Tests that prove something to which no door leads yet: a module, or a name that a module exports (`test/arch/waiting.json`). What only
 * they prove is deferred until that door is there: nobody can use it. A test counts as one of them when it uses such an import, directly,
 * through what its own file declares, or through a function of a fixture.
 */
import { posix } from 'node:path'
import ts from 'typescript'
import { textOf } from './repository.ts'
import { allTitles, type Title } from './test-titles.ts'

const WAITING = 'test/arch/waiting.json'

/** A module, or `module#name` → the door that is to come. */
export type Waiting = Readonly<Record<string, string>>

export const isNameInModule = (key: string): boolean => key.includes('#')

export function readWaiting(): Waiting {
  return JSON.parse(textOf(WAITING)) as Waiting
}

/** What a title waits for; undefined for one whose test goes through a door that is there. */
export type WaitsFor = (path: string, title: string) => string | undefined

/** Titles of tables are filled in when they run: the ids at their end tell which one of the sources it is. */
const groupOf = (title: string): string => /\[[^[\]]+\]\s*$/.exec(title)?.[0] ?? title

export function waitingProofs(waiting: Waiting = readWaiting(), titles: readonly Title[] = allTitles()): WaitsFor {
  const known = new Map<string, string | undefined>()
  for (const { path, text, source } of titles) {
    if (!text.trimEnd().endsWith(']')) continue
    const key = `${path} ${groupOf(text)}`
    const reason = reasonOf(path, source, waiting)
    // Two titles with the same ids in one file: one that needs no door is proof enough.
    if (!known.has(key) || reason === undefined) known.set(key, reason)
  }
  return (path, title) => known.get(`${path} ${groupOf(title)}`)
}

function reasonOf(path: string, title: ts.Node, waiting: Waiting): string | undefined {
  const seen = new Set<ts.Node>()
  const open = [{ path, node: testOf(title) }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (seen.has(place.node)) continue
    seen.add(place.node)
    const file = place.node.getSourceFile()
    const imported = importsOf(place.path, file)
    const declared = declarationsOf(file)
    for (const name of namesIn(place.node)) {
      const source = imported.get(name)
      const reason =
        source === undefined ? undefined : (waiting[source.path] ?? waiting[`${source.path}#${source.name}`])
      if (reason !== undefined) return reason
      for (const node of declared.get(name) ?? []) open.push({ path: place.path, node })
      if (source !== undefined && isFixture(source.path))
        for (const node of declarationsOf(fixture(source.path)).get(source.name) ?? [])
          open.push({ path: source.path, node })
    }
  }
  return undefined
}

interface Imported {
  readonly path: string
  readonly name: string
}

const isFixture = (path: string): boolean => path.startsWith('test/') && path.endsWith('.ts')

const fixture = remembered((path: string) => ts.createSourceFile(path, textOf(path), ts.ScriptTarget.Latest, true))

/** Local name → where it comes from. Types are not there when a test runs. */
function importsOf(path: string, file: ts.SourceFile): ReadonlyMap<string, Imported> {
  const found = new Map<string, Imported>()
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue
    const module = posix.join(posix.dirname(path), statement.moduleSpecifier.text)
    const clause = statement.importClause
    const named = clause?.phaseModifier === ts.SyntaxKind.TypeKeyword ? undefined : clause?.namedBindings
    if (named === undefined || !ts.isNamedImports(named)) continue
    for (const { name, propertyName, isTypeOnly } of named.elements)
      if (!isTypeOnly) found.set(name.text, { path: module, name: (propertyName ?? name).text })
  }
  return found
}

/** The call a title is the first argument of; a title in a table stands for the whole file. */
function testOf(title: ts.Node): ts.Node {
  const { parent } = title
  return ts.isCallExpression(parent) && parent.arguments[0] === title ? parent : title.getSourceFile()
}

const declarationsOf = remembered((file: ts.SourceFile): ReadonlyMap<string, readonly ts.Node[]> => {
  const found = new Map<string, ts.Node[]>()
  const visit = (node: ts.Node): void => {
    const isNamed = ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node) || ts.isClassDeclaration(node)
    if (isNamed && node.name !== undefined && ts.isIdentifier(node.name))
      found.set(node.name.text, [...(found.get(node.name.text) ?? []), node])
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
})

const namesIn = remembered((node: ts.Node): readonly string[] => {
  const found: string[] = []
  const visit = (one: ts.Node): void => {
    if (ts.isImportDeclaration(one)) return
    if (ts.isIdentifier(one)) found.push(one.text)
    ts.forEachChild(one, visit)
  }
  visit(node)
  return [...new Set(found)]
})

/** The sources do not change while they are traced: each is read once. */
function remembered<K extends string | ts.Node, T>(read: (key: K) => T): (key: K) => T {
  const known = new Map<K, T>()
  return (key) => {
    const value = known.get(key) ?? read(key)
    known.set(key, value)
    return value
  }
}
