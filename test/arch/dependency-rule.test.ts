/** The dependency rule of ARCHITECTURE.md over the real import graph: what is lower may import what is higher. */
import { expect, it } from 'vitest'
import { isTestFile, productFiles, textOf } from '../../scripts/repository.ts'
import { importsOf, parse, productImports, type Import } from './source.ts'
import ts from 'typescript'

type Layer = 'core' | 'ports' | 'app' | 'adapters' | 'client' | 'library' | 'compose' | 'edge' | 'testing' | 'main'

/** What a layer may import from another, and which packages from outside. `node:` alone stands for every builtin. */
const RULE: Readonly<
  Record<
    Layer,
    { readonly values: readonly Layer[]; readonly types: readonly Layer[]; readonly packages: readonly string[] }
  >
> = {
  core: { values: ['core'], types: [], packages: ['yaml', 'canonicalize', 'fastest-levenshtein'] },
  ports: { values: [], types: ['core', 'ports'], packages: [] },
  app: {
    values: ['core', 'ports', 'app'],
    types: [],
    packages: ['node:crypto', 'node:module', 'ajv', 'ajv-formats', 'canonicalize', '@jmespath-community/jmespath'],
  },
  adapters: { values: ['core', 'ports', 'adapters'], types: [], packages: ['node:'] },
  // Works in browsers: no builtin of Node.
  client: { values: ['core', 'client'], types: [], packages: [] },
  library: { values: ['core', 'app', 'library'], types: ['ports'], packages: ['node:'] },
  compose: { values: ['core', 'ports', 'app', 'adapters', 'library', 'compose'], types: [], packages: ['node:'] },
  edge: {
    values: ['core', 'app', 'library', 'client', 'compose', 'main', 'edge'],
    types: ['ports'],
    packages: ['node:', 'commander', 'picocolors'],
  },
  testing: { values: ['core', 'ports', 'testing'], types: [], packages: ['node:', 'canonicalize', 'vitest'] },
  // An export list: it has no code of its own.
  main: { values: ['core', 'app', 'library', 'compose'], types: ['ports'], packages: [] },
}

/** Drivers that only their own adapter may import, and the files that load what a user or a store names. */
const DRIVERS: Readonly<Record<string, readonly string[]>> = {
  'src/adapters/stores/postgres/': ['pg'],
  'src/edge/http/': ['fastify', 'jose'],
  'src/edge/http/login/': ['openid-client'],
  'src/edge/cli/login/': ['openid-client'],
  'src/adapters/telemetry/': ['@opentelemetry/api'],
  'src/adapters/engines/temporal/': ['activity', 'client', 'common', 'worker', 'workflow'].map(
    (name) => `@temporalio/${name}`,
  ),
}
const LOADS_USER_CODE = [
  'src/edge/cli/files/steps-file.ts',
  'src/adapters/isolation/entry.ts',
  'src/adapters/guard/guard-thread.ts',
]

function isOwnDriver(item: Import): boolean {
  if (item.to === '<computed>') return LOADS_USER_CODE.includes(item.from)
  return Object.entries(DRIVERS).some(
    ([folder, packages]) => item.from.startsWith(folder) && packages.includes(item.to),
  )
}

function layerOf(path: string): Layer | undefined {
  if (path === 'src/main.ts') return 'main'
  const folder = path.split('/')[1]
  return folder !== undefined && folder !== 'main' && Object.hasOwn(RULE, folder) ? (folder as Layer) : undefined
}

function packageAllowed(layer: Layer, name: string): boolean {
  return RULE[layer].packages.some((allowed) => (allowed === 'node:' ? name.startsWith('node:') : allowed === name))
}

/** Adapters live in `src/adapters/<kind>/<name>/` or `src/adapters/<kind>/`; none reaches into another. */
function adapterHome(path: string): string {
  const parts = path.split('/')
  const nested = ['stores', 'engines'].includes(parts[2] ?? '')
  return parts.slice(0, nested ? 4 : 3).join('/')
}

function breaksRule(item: Import): boolean {
  const from = layerOf(item.from)
  if (from === undefined) return true
  if (item.external) return !packageAllowed(from, item.to) && !isOwnDriver(item)
  const to = layerOf(item.to)
  if (to === undefined || isTestFile(item.to)) return true
  if (from === 'adapters' && to === 'adapters') return adapterHome(item.from) !== adapterHome(item.to)
  if (RULE[from].values.includes(to)) return false
  return !(item.typeOnly && RULE[from].types.includes(to))
}

/** One cycle as a path, or undefined. Type-only edges count too: two files that need each other are one concept. */
function findCycle(edges: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>()
  const visit = (node: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const next of edges.get(node) ?? []) {
      const cycle = visit(next, [...trail, node])
      if (cycle !== undefined) return cycle
    }
    done.add(node)
    return undefined
  }
  for (const node of edges.keys()) {
    const cycle = visit(node, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}

it('every import of the product follows the dependency rule', () => {
  const broken = productImports().filter(breaksRule)
  expect(broken.map((item) => `${item.at} imports ${item.to}`)).toEqual([])
})

const probe = (from: string, to: string, typeOnly = false): boolean =>
  breaksRule({ from, to, typeOnly, external: !to.startsWith('src/'), at: from })

it('the rule tells a forbidden import from an allowed one', () => {
  expect(probe('src/core/a.ts', 'src/ports/b.ts', true)).toBe(true)
  expect(probe('src/core/a.ts', 'node:crypto')).toBe(true)
  expect(probe('src/core/a.ts', 'yaml')).toBe(false)
  expect(probe('src/ports/a.ts', 'src/core/b.ts')).toBe(true)
  expect(probe('src/ports/a.ts', 'src/core/b.ts', true)).toBe(false)
  expect(probe('src/app/a.ts', 'src/adapters/stores/memory/b.ts')).toBe(true)
  expect(probe('src/adapters/stores/sqlite/a.ts', 'src/adapters/stores/memory/b.ts')).toBe(true)
  expect(probe('src/adapters/stores/sqlite/a.ts', 'src/adapters/stores/sqlite/b.ts')).toBe(false)
  expect(probe('src/edge/cli/a.ts', 'src/adapters/stores/sqlite/b.ts')).toBe(true)
  expect(probe('src/core/a.ts', 'src/core/b.test.ts')).toBe(true)
  expect(probe('src/client/a.ts', 'node:crypto')).toBe(true)
  expect(probe('src/client/a.ts', 'src/app/b.ts', true)).toBe(true)
  expect(probe('src/client/a.ts', 'src/core/b.ts')).toBe(false)
  expect(probe('src/app/a.ts', 'src/client/b.ts')).toBe(true)
  expect(probe('src/adapters/stores/postgres/a.ts', 'pg')).toBe(false)
  expect(probe('src/adapters/stores/sqlite/a.ts', 'pg')).toBe(true)
  expect(probe('src/edge/cli/a.ts', '<computed>')).toBe(true)
})

it('the import graph of the product has no cycle', () => {
  const edges = new Map(
    productFiles().map((path) => [
      path,
      importsOf(path)
        .filter((item) => !item.external)
        .map((item) => item.to),
    ]),
  )
  expect(findCycle(edges)).toBeUndefined()
  expect(
    findCycle(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['a']],
      ]),
    ),
  ).toEqual(['a', 'b', 'c', 'a'])
})

it('ports hold types only', () => {
  const values = productFiles('src/ports').flatMap((path) =>
    parse(path)
      .statements.filter(
        (statement) =>
          !ts.isInterfaceDeclaration(statement) &&
          !ts.isTypeAliasDeclaration(statement) &&
          !ts.isImportDeclaration(statement) &&
          !ts.isExportDeclaration(statement),
      )
      .map((statement) => `${path}: ${statement.getText().slice(0, 60)}`),
  )
  expect(values).toEqual([])
})

it('every package the product imports is a dependency of the published package', () => {
  const manifest = JSON.parse(textOf('package.json')) as {
    readonly dependencies: Readonly<Record<string, string>>
    readonly peerDependencies?: Readonly<Record<string, string>>
  }
  const declared = { ...manifest.dependencies, ...manifest.peerDependencies }
  const undeclared = productImports()
    .filter((item) => item.external && !item.to.startsWith('node:') && !item.typeOnly)
    .filter((item) => !Object.hasOwn(declared, item.to) && !(item.to === '<computed>' && isOwnDriver(item)))
  expect(undeclared.map((item) => `${item.at} imports ${item.to}`)).toEqual([])
})
