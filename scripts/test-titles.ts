/**
 * The titles of tests as they stand in the sources, read without running anything. Any string of a test file counts,
 * because suites keep titles in tables too; only those that end with ids matter to the callers that trace them.
 */
import ts from 'typescript'
import { filesUnder, textOf } from './repository.ts'

export interface Title {
  readonly text: string
  readonly path: string
  /** Where it stands. */
  readonly source: ts.Node
}

/** Tests, what they are made of, and the suites that ship with the product for others to run. */
function holdsTests(path: string): boolean {
  return path.endsWith('.test.ts') || path.startsWith('src/testing/') || path.startsWith('test/')
}

function stringText(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('')
}

function titlesIn(path: string): readonly Title[] {
  const source = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.Latest, true)
  const found: Title[] = []
  const visit = (node: ts.Node): void => {
    const text = stringText(node)
    if (text !== undefined) found.push({ text, path, source: node })
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

let known: readonly Title[] | undefined

/** Read once: the sources do not change while they are traced. */
export function allTitles(): readonly Title[] {
  known ??= ['src', 'test', 'examples']
    .flatMap((folder) => filesUnder(folder, ['.ts']))
    .filter(holdsTests)
    .flatMap(titlesIn)
  return known
}
