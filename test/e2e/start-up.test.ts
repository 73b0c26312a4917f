/**
 * What a command loads before it answers. A person waits for it at every call, so that commands which only look, or leave a signal, load
 * no engine, no plan reader and no package for them. `npm run bench -- cli` measures the time.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { runChild } from '../fixtures/child.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, keelson, linesOf } from './command.ts'

const PLAN = 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, wait: { forMs: 1 } }\n'
const TELL =
  "import { registerHooks } from 'node:module'; import { writeSync } from 'node:fs'; registerHooks({ load: (url, context, next) => (writeSync(2, `loaded ${url}\\n`), next(url, context)) })"
const PRELOAD = `data:text/javascript,${encodeURIComponent(TELL)}`

interface Loaded {
  /** Of dist/, by their own names. */
  readonly files: readonly string[]
  /** Of src/, which the files were made of. */
  readonly modules: readonly string[]
  readonly packages: readonly string[]
  readonly builtins: readonly string[]
}

function loadedBy(args: readonly string[], cwd: string): Loaded {
  return loadedWith([join(ROOT, 'bin', 'keelson.js'), ...args], cwd)
}

function loadedWith(args: readonly string[], cwd: string): Loaded {
  const { status, stderr } = runChild(process.execPath, ['--import', PRELOAD, ...args], { cwd })
  expect([args, status]).toEqual([args, 0])
  const urls = linesOf(stderr).flatMap((line) => (line.startsWith('loaded ') ? [line.slice('loaded '.length)] : []))
  const paths = urls.filter((url) => url.startsWith('file:')).map((url) => relative(ROOT, fileURLToPath(url)))
  const files = paths.filter((path) => path.startsWith('dist/'))
  return {
    files,
    modules: files.flatMap(sourcesOf).sort(),
    packages: [...new Set(paths.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))].sort(),
    builtins: urls.filter((url) => url.startsWith('node:')),
  }
}

function sourcesOf(file: string): readonly string[] {
  const map = join(ROOT, `${file}.map`)
  if (!existsSync(map)) return []
  const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { readonly sources: readonly string[] }
  return sources.map((source) => relative(ROOT, join(ROOT, file, '..', source)))
}

/** What drives runs, reads plans or talks to others. */
const DRIVING = [
  'src/app/advance/',
  'src/app/commit/',
  'src/app/execute/',
  'src/app/engines/',
  'src/app/expressions/',
  'src/app/start/start-run.ts',
  'src/core/run/decide/',
  'src/core/run/proceed/',
  'src/core/plan/read/read-',
  'src/core/plan/write/',
  'src/adapters/egress/',
  'src/adapters/engines/',
  'src/adapters/guard/',
  'src/adapters/handlers/',
  'src/adapters/isolation/',
  'src/adapters/processes/',
  'src/adapters/stores/memory/',
  'src/adapters/stores/postgres/',
  'src/compose/open-keelson.ts',
  'src/library/keelson/keelson.ts',
]

beforeAll(ensureBuilt)

it.each([
  { args: ['help'], files: 3, modules: 60, packages: ['commander', 'picocolors'] },
  { args: ['runs'], files: 4, modules: 170, packages: ['canonicalize', 'commander', 'picocolors'] },
  ...[
    ['show', 'last'],
    ['why', 'last'],
    ['events', 'last'],
    ['signal', 'last', 'pause'],
    ['pause', 'last'],
  ].map((args) => ({
    args,
    files: 8,
    // A store is some fifty small files: one for each of its tables.
    modules: 390,
    packages: ['canonicalize', 'commander', 'fastest-levenshtein', 'picocolors'],
  })),
])('keelson $args.0 loads no engine and no reader of plans', async ({ args, files, modules, packages }) => {
  const folder = folderWith({ 'p.yaml': PLAN })
  expect((await keelson(['run', 'p.yaml', '--queue'], folder)).code).toBe(0)
  const loaded = loadedBy(args, folder)
  expect(loaded.packages).toEqual(packages)
  expect(loaded.modules).toContain('src/edge/cli/program.ts')
  expect(loaded.modules.filter((path) => DRIVING.some((part) => path.startsWith(part)))).toEqual([])
  expect(loaded.builtins.filter((name) => /worker_threads|http|tls|net|dns|module/.test(name))).toEqual([])
  // The page and what serves it are loaded by a server alone.
  expect(loaded.files.filter((path) => path.startsWith('dist/web/'))).toEqual([])
  expect(loaded.modules.filter((path) => /^(?:web\/|src\/edge\/http\/)/.test(path))).toEqual([])
  // A file costs about as much as what is in it.
  expect(loaded.files.length).toBeLessThanOrEqual(files)
  expect(loaded.modules.length).toBeLessThanOrEqual(modules)
})

it('keelson --version loads nothing of the product', () => {
  expect(loadedBy(['--version'], folderWith({}))).toMatchObject({ files: [], packages: [] })
})

it('a command that drives runs loads the engine: this test would see it', async () => {
  const folder = folderWith({ 'p.yaml': PLAN })
  const { modules, packages } = loadedBy(['run', 'p.yaml'], folder)
  expect(DRIVING.filter((part) => !modules.some((path) => path.startsWith(part)))).toEqual([
    'src/adapters/stores/postgres/',
  ])
  expect(packages).toContain('yaml')
})

const JSON_PLAN = JSON.stringify({ plan: 'p', version: '1.0.0', steps: [{ id: 'a', wait: { forMs: 1 } }] })
/** What takes long to load, and what only some runs need: YAML, schemas of foreign logs, servers. */
const WHEN_NEEDED = /^(?:yaml|ajv|ajv-formats|pg|@temporalio)/
const NETWORK = /^node:(?:tls|https?|http2|net|dns)/

it.each([
  ['a plan in JSON is run', ['run', 'p.json']],
  ['runs are resumed', ['resume']],
  ['a queued run is started', ['queue', 'start', 'last']],
  ['a run is proved', ['verify', 'last']],
])('no package for YAML, schemas or servers is loaded when %s', async (_, args) => {
  const folder = folderWith({ 'p.json': JSON_PLAN })
  expect((await keelson(['run', 'p.json', '--queue'], folder)).code).toBe(0)
  const { packages, builtins } = loadedBy(args, folder)
  expect(packages).toContain('@jmespath-community/jmespath')
  expect(packages.filter((name) => WHEN_NEEDED.test(name))).toEqual([])
  expect(builtins.filter((name) => NETWORK.test(name))).toEqual([])
})

it('a program that imports the library loads no package for YAML, schemas or servers before it needs one', () => {
  const library = pathToFileURL(join(ROOT, 'dist', 'main.js')).href
  const before = `const { loadPlan } = await import(${JSON.stringify(library)})`
  const read = `${before}; loadPlan('plan: p\\nversion: 1.0.0\\nsteps:\\n  - { id: a, wait: { forMs: 1 } }\\n')`
  const { packages, builtins } = loadedWith(['--input-type=module', '--eval', before], folderWith({}))
  expect(packages).toContain('canonicalize')
  expect(packages.filter((name) => WHEN_NEEDED.test(name))).toEqual([])
  expect(builtins.filter((name) => NETWORK.test(name))).toEqual([])
  expect(loadedWith(['--input-type=module', '--eval', read], folderWith({})).packages).toContain('yaml')
})
