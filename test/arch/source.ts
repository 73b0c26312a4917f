/** Product files as syntax trees, parsed once for all architecture tests, and the imports found in them. */
import { posix } from 'node:path'
import ts from 'typescript'
import { productFiles, textOf } from '../../scripts/repository.ts'

const parsed = new Map<string, ts.SourceFile>()

export function parse(path: string): ts.SourceFile {
  const known = parsed.get(path)
  if (known !== undefined) return known
  const source = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.Latest, true)
  parsed.set(path, source)
  return source
}

export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, (child) => walk(child, visit))
}

/** `src/core/run/decide/decide.ts:12`, for messages that lead to the place. */
export function place(node: ts.Node): string {
  const source = node.getSourceFile()
  return `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
}

export interface Import {
  readonly from: string
  /** A path inside the repository, or the name of a package or builtin. */
  readonly to: string
  readonly external: boolean
  readonly typeOnly: boolean
  readonly at: string
}

function isTypeOnlyDeclaration(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly
  const clause = node.importClause
  if (clause === undefined) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const named = clause.namedBindings
  if (clause.name !== undefined || named === undefined || !ts.isNamedImports(named)) return false
  return named.elements.length > 0 && named.elements.every((element) => element.isTypeOnly)
}

function specifierOf(node: ts.Node): { readonly text: string; readonly typeOnly: boolean } | undefined {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
    if (!ts.isStringLiteral(node.moduleSpecifier)) return undefined
    return { text: node.moduleSpecifier.text, typeOnly: isTypeOnlyDeclaration(node) }
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return { text: node.argument.literal.text, typeOnly: true }
  }
  if (ts.isCallExpression(node) && ['import', 'require'].includes(node.expression.getText())) {
    const argument = node.arguments[0]
    return {
      text: argument !== undefined && ts.isStringLiteral(argument) ? argument.text : '<computed>',
      typeOnly: false,
    }
  }
  return undefined
}

/** `ajv/dist/2020.js` → `ajv`, `@scope/name/sub` → `@scope/name`, builtins as they are. */
function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier
  const parts = specifier.split('/')
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier)
}

export function importsOf(path: string): readonly Import[] {
  const found: Import[] = []
  walk(parse(path), (node) => {
    const specifier = specifierOf(node)
    if (specifier === undefined) return
    const external = !specifier.text.startsWith('.')
    const to = external ? packageOf(specifier.text) : posix.join(posix.dirname(path), specifier.text)
    found.push({ from: path, to, external, typeOnly: specifier.typeOnly, at: place(node) })
  })
  return found
}

export function productImports(folder = 'src'): readonly Import[] {
  return productFiles(folder).flatMap(importsOf)
}
