/**
 * Which functions, classes and values of the product a user can reach, name by name: a module may be reached while a function in it is
 * called by tests alone. A name is reached when the text of something reached mentions it; doubt counts as reached.
 */
import { posix } from 'node:path'
import ts from 'typescript'
import { parse, walk } from './source.ts'

interface Named {
  readonly path: string
  readonly name: string
}

interface Module {
  /** Declared at the top, by name. */
  readonly declared: ReadonlyMap<string, ts.Node>
  /** Local name → where it comes from. The name `*` means all of that module. */
  readonly imported: ReadonlyMap<string, Named>
  /** Passed on from other modules: exported name → where it comes from. */
  readonly passedOn: ReadonlyMap<string, Named>
  readonly exported: ReadonlySet<string>
  /** Statements that are executed when the module is loaded. */
  readonly loaded: readonly ts.Node[]
}

const ALL = '*'

/** `path#name` of everything reached; roots are modules all of whose exports are for users. */
export function reachedNames(roots: readonly string[], isOurs: (path: string) => boolean): ReadonlySet<string> {
  const modules = new Map<string, Module>()
  const reached = new Set<string>()
  const open: Named[] = roots.map((path) => ({ path, name: ALL }))
  const moduleOf = (path: string): Module => {
    const known = modules.get(path)
    if (known !== undefined) return known
    const read = readModule(path)
    modules.set(path, read)
    for (const node of read.loaded) mention(path, read, node)
    return read
  }
  const mention = (path: string, module: Module, node: ts.Node): void => {
    for (const name of mentionedIn(node)) {
      const from = module.imported.get(name)
      if (from !== undefined) open.push(from)
      else if (module.declared.has(name)) open.push({ path, name })
    }
    open.push(...loadedByCall(path, node))
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, name } = next
    const key = `${path}#${name}`
    if (reached.has(key) || !isOurs(path)) continue
    reached.add(key)
    const module = moduleOf(path)
    if (name === ALL) for (const one of module.exported) open.push({ path, name: one })
    const source = module.passedOn.get(name)
    if (source !== undefined) open.push(source)
    const declared = module.declared.get(name)
    if (declared !== undefined) mention(path, module, declared)
  }
  return reached
}

/** Functions, classes and values that a module exports under a name of its own; types are not there at run time. */
export function exportedValues(path: string): readonly string[] {
  const { declared, exported } = readModule(path)
  return [...exported].filter((name) => declared.has(name))
}

function readModule(path: string): Module {
  const declared = new Map<string, ts.Node>()
  const imported = new Map<string, Named>()
  const passedOn = new Map<string, Named>()
  const exported = new Set<string>()
  const loaded: ts.Node[] = []
  const pathOf = (specifier: ts.Expression): string =>
    ts.isStringLiteral(specifier) ? posix.join(posix.dirname(path), specifier.text) : ''
  for (const statement of parse(path).statements) {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
    if (ts.isImportDeclaration(statement)) {
      const bindings = statement.importClause?.namedBindings
      const from = pathOf(statement.moduleSpecifier)
      if (bindings === undefined) continue
      if (ts.isNamespaceImport(bindings)) imported.set(bindings.name.text, { path: from, name: ALL })
      else
        for (const { name, propertyName } of bindings.elements)
          imported.set(name.text, { path: from, name: (propertyName ?? name).text })
    } else if (ts.isExportDeclaration(statement)) {
      const { exportClause, moduleSpecifier } = statement
      if (exportClause === undefined || !ts.isNamedExports(exportClause)) continue
      for (const { name, propertyName } of exportClause.elements) {
        exported.add(name.text)
        const original = (propertyName ?? name).text
        const source =
          moduleSpecifier === undefined ? imported.get(original) : { path: pathOf(moduleSpecifier), name: original }
        if (source !== undefined) passedOn.set(name.text, source)
      }
    } else if (ts.isVariableStatement(statement)) {
      for (const declaration of statement.declarationList.declarations)
        for (const name of boundNames(declaration.name)) {
          declared.set(name, declaration)
          if (isExported) exported.add(name)
        }
    } else if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
      if (statement.name === undefined) continue
      declared.set(statement.name.text, statement)
      if (isExported) exported.add(statement.name.text)
    } else if (!ts.isTypeAliasDeclaration(statement) && !ts.isInterfaceDeclaration(statement)) loaded.push(statement)
  }
  return { declared, imported, passedOn, exported, loaded }
}

function boundNames(name: ts.BindingName): readonly string[] {
  if (ts.isIdentifier(name)) return [name.text]
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []))
}

/** Identifiers, but for names of properties: `x.open` does not mention `open`. */
function mentionedIn(node: ts.Node): ReadonlySet<string> {
  const found = new Set<string>()
  walk(node, (one) => {
    if (!ts.isIdentifier(one)) return
    const { parent } = one
    if (ts.isPropertyAccessExpression(parent) && parent.name === one) return
    if (ts.isPropertyAssignment(parent) && parent.name === one) return
    found.add(one.text)
  })
  return found
}

/** Modules loaded by a call, and the names taken from them: `(await import(…)).name`, `const { name } = await import(…)`; else all. */
function loadedByCall(path: string, node: ts.Node): readonly Named[] {
  const found: Named[] = []
  walk(node, (one) => {
    if (!ts.isCallExpression(one) || one.expression.kind !== ts.SyntaxKind.ImportKeyword) return
    const [argument] = one.arguments
    if (argument === undefined || !ts.isStringLiteral(argument)) return
    const to = posix.join(posix.dirname(path), argument.text)
    found.push(...namesTaken(one).map((name) => ({ path: to, name })))
  })
  return found
}

function namesTaken(call: ts.CallExpression): readonly string[] {
  let use: ts.Node = call.parent
  while (ts.isAwaitExpression(use) || ts.isParenthesizedExpression(use)) use = use.parent
  if (ts.isPropertyAccessExpression(use) && ts.isIdentifier(use.name) && use.name.text !== 'then')
    return [use.name.text]
  if (!ts.isVariableDeclaration(use) || !ts.isObjectBindingPattern(use.name)) return [ALL]
  return use.name.elements.map(({ name, propertyName }) => (propertyName ?? name).getText())
}
