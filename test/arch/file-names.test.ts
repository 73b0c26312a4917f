/**
 * No path is built of somebody else's text: whatever is joined to a folder is written here in the source, or went through
 * `fileName`, or stands in the table with the reason why it cannot lead elsewhere.
 */
import ts from 'typescript'
import { expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { parse, place, walk } from './source.ts'

/** By file: the expressions, and why each is no stranger's. */
const KNOWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/adapters/artifacts/local.ts': { 'random.uuid()': 'made here' },
  'src/adapters/artifacts/shelf.ts': {
    sha256: 'made here of the bytes, or read by a pattern of 64 digits',
  },
  'src/adapters/files/bundle-shelf.ts': {
    'random.uuid()': 'made here',
    name: '`bundleName`, or the file that the caller named himself',
  },
  'src/adapters/files/guard-state.ts': {
    'entry.name': 'read from the folder',
    'one.name': 'read from the folder',
    name: 'read from the folder',
  },
  'src/adapters/files/intent-buffer.ts': {
    own: 'a UUID made by this process',
    name: 'read from the folder, or our own',
  },
  'src/adapters/files/receipt-lines.ts': {
    name: 'read from the folder, the first digits of an instant of our own clock, or a literal',
  },
  'src/adapters/keys/create-exclusively.ts': {
    'random.uuid()': 'made here',
    name: 'a literal of the two kinds of keys',
  },
  'src/adapters/keys/file-keys.ts': { keyId: 'k and digits, by a pattern' },
  'src/adapters/keys/receipt-keys.ts': { name: 'read from the folder by a pattern' },
  'src/adapters/processes/run-command.ts': {
    "own.cwd ?? '.'": 'the folder that the plan names: programs are allowed, or none is run',
  },
  'src/adapters/processes/temporal-server.ts': { SUFFIX: 'a literal of the platform' },
  'src/adapters/secrets/file.ts': {
    tenantId: 'plain by a pattern, and found in the folder under that very name',
    environmentId: 'plain by a pattern',
    name: 'found in the folder under that very name',
  },
  'src/edge/cli/doctor/checkup-files.ts': { name: 'read from the folder' },
  'src/edge/cli/doctor/checkup.ts': { name: 'read from the folder', STORE_FILE: 'a literal' },
  'src/adapters/processes/gate.ts': {
    program: 'a program that a plan may start: it is looked for, and nothing is written',
    "place === '' ? '.' : place": 'a folder of PATH',
  },
  'src/edge/cli/commands/init.ts': { name: 'a literal of the starter files', SCHEMA: 'a literal' },
  'src/edge/cli/files/conformance-files.ts': {
    name: 'read from the folder',
    path: 'the plan that a corpus file of the user names: it is read, and nothing is written',
  },
  'src/edge/cli/files/load-failure.ts': { name: 'read for a message only, from the user’s own steps file' },
  'src/edge/cli/files/child-files.ts': { name: 'read from the folder' },
  'src/edge/cli/login/kept-login.ts': {
    host: 'letters, digits, dots and hyphens, and never the whole name',
    "hash('sha256', name, 'hex').slice(0, HASH_CHARS)": 'digits of a hash made here',
  },
  'src/edge/cli/serve/config.ts': {
    name: 'a literal of the names of configurations',
    'String(value)': 'a path that the operator wrote into the configuration',
  },
  'src/edge/cli/serve/project.ts': { 'entry.name': 'read from the folder', name: 'read from the folder' },
  'src/edge/cli/serve/watch-folders.ts': {
    name: 'told by the system that watches the folder: it is compared, and never opened',
  },
  'src/edge/cli/files/plan-file.ts': { found: 'read from the folder' },
  'src/edge/cli/files/sources.ts': { path: 'our own note of where a plan lies', planSha256: '64 digits, by a pattern' },
  'src/edge/cli/files/steps-file.ts': { name: 'a literal' },
  'src/adapters/stores/sqlite/backup.ts': { STORE_FILE: 'a literal' },
  'src/adapters/stores/sqlite/open-read-only.ts': { STORE_FILE: 'a literal' },
  'src/edge/cli/files/place.ts': { STORE_FILE: 'a literal' },
  'src/compose/lasting-parts.ts': { STORE_FILE: 'a literal' },
  'src/compose/open-store.ts': { STORE_FILE: 'a literal' },
  'src/compose/restore-keelson.ts': { STORE_FILE: 'a literal' },
  'src/edge/http/page/page-files.ts': {
    ASSETS: 'a name of the build',
    name: 'read from the folder, and of the form that the build makes',
  },
}

interface Part {
  readonly path: string
  readonly text: string
  readonly at: string
}

/** Functions of `node:path` by the names this file gave them. */
function joiners(source: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>()
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || statement.moduleSpecifier.getText().slice(1, -1) !== 'node:path') continue
    const bindings = statement.importClause?.namedBindings
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue
    for (const { name, propertyName } of bindings.elements)
      if (['join', 'resolve'].includes((propertyName ?? name).text)) names.add(name.text)
  }
  return names
}

/** The parts of a path that are not written in the source; of a call the first argument is the folder itself. */
function strangeParts(path: string, source: ts.SourceFile): readonly Part[] {
  const found: Part[] = []
  const names = joiners(source)
  const add = (node: ts.Expression): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return
    if (ts.isCallExpression(node) && /^(?:runF|f)ileName$/.test(node.expression.getText())) return
    if (ts.isCallExpression(node) && names.has(node.expression.getText())) return
    if (ts.isTemplateExpression(node)) for (const span of node.templateSpans) add(span.expression)
    else found.push({ path, text: node.getText(), at: place(node) })
  }
  walk(source, (node) => {
    if (!ts.isCallExpression(node) || !names.has(node.expression.getText())) return
    const [first, ...rest] = node.arguments
    // A folder that is itself put together is no folder somebody named.
    if (first !== undefined && ts.isTemplateExpression(first)) add(first)
    for (const argument of rest) add(argument)
  })
  return found
}

const parts = productFiles().flatMap((path) => strangeParts(path, parse(path)))

it('no path is built of an id that did not go through fileName', () => {
  const strangers = parts.filter(({ path, text }) => KNOWN[path]?.[text] === undefined)
  expect(strangers.map(({ at, text }) => `${at} ${text}`)).toEqual([])
})

it('every listed part is in use', () => {
  const idle = Object.entries(KNOWN).flatMap(([path, texts]) =>
    Object.keys(texts).filter((text) => !parts.some((part) => part.path === path && part.text === text)),
  )
  expect(idle).toEqual([])
})

it('the search sees names, templates and renamed imports, and lets encoded ones pass', () => {
  const probe = ts.createSourceFile(
    'probe.ts',
    "import { join as j, resolve } from 'node:path'\nj(a, id, 'x', fileName(id, h)); resolve(a, `${runId}.json`); resolve(a); other(a, b)",
    ts.ScriptTarget.Latest,
    true,
  )
  expect(strangeParts('probe.ts', probe).map(({ text }) => text)).toEqual(['id', 'runId'])
})
