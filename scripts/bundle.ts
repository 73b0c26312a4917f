/**
 * Writes the product's JavaScript into dist/: few files, because Node needs about as long to find and link a small file as to run it,
 * and a command would read 700 of them. Modules that several entries need are in chunks that the entries share, so that a class exists once
 * in a process; what is loaded with `import()` stays apart until it is asked for.
 */
import { dirname, join, relative, sep } from 'node:path'
import { build, type CodeSplittingGroup, type Plugin } from 'rolldown'
import { ROOT } from './terminal.ts'

const SOURCE = join(ROOT, 'src')

/** Loaded together in one process: the package's exports, the command, and files that run a user's code on another thread. */
const TOGETHER = [
  'main',
  'core/plan/write/builder',
  'adapters/stores/postgres/store',
  'adapters/engines/temporal/engine',
  'testing/steps/check-cancel',
  'testing/store/run-store-suite',
  'edge/cli/main',
  'library/plans/compile-thread',
  'adapters/isolation/entry',
]

/** Each is alone in its thread, sandbox or browser: one file, which loads nothing else of the product. */
const ALONE = [
  'client/connect',
  'adapters/guard/guard-thread',
  'adapters/stores/sqlite/renew-leases',
  'adapters/stores/sqlite/write-batches',
  'adapters/stores/postgres/renew-leases',
  'adapters/engines/temporal/sandbox/generic-workflow',
  'adapters/engines/temporal/sandbox/no-stack-traces',
]

/**
 * What is loaded together lies in one file: each group is what its entries import, without what an earlier group has. So a command that
 * only looks reads a few files and no code of the engine; `test/e2e/start-up.test.ts` holds that.
 */
const GROUPS: readonly (readonly [name: string, entries: readonly string[]])[] = [
  ['start', ['edge/cli/main', 'edge/cli/program']],
  ['list', ['edge/cli/commands/runs']],
  ['read', ['edge/cli/commands/show', 'edge/cli/commands/why', 'edge/cli/commands/events', 'edge/cli/commands/cancel']],
  ['send', ['library/act/leave-signal']],
  ['drive', ['edge/cli/commands/run', 'main']],
]

const PLACE = '__PLACE_OF_DIST__'

/** A module finds SQL files and threads beside its own source file; from a chunk, dist/ is reached by another path. */
const placeOfModules: Plugin = {
  name: 'place-of-modules',
  transform(code, id) {
    if (!code.includes('import.meta.url')) return undefined
    const own = relative(SOURCE, id).split(sep).join('/').replace(/\.ts$/, '.js')
    return {
      code: code.replaceAll('import.meta.url', `new URL(\`\${${PLACE}}${own}\`, import.meta.url).href`),
      map: null,
    }
  },
  renderChunk(code, { fileName }) {
    if (!code.includes(PLACE)) return undefined
    const up = '../'.repeat(fileName.split('/').length - 1)
    return { code: code.replaceAll(PLACE, JSON.stringify(up === '' ? './' : up)), map: null }
  },
}

/**
 * The core is pure and imports its packages as everybody does. Here the one that is slow to load waits for the first call: it is
 * not an `import()`, because a plan is read without waiting.
 */
const lateYaml: Plugin = {
  name: 'late-yaml',
  transform: (_, id) =>
    id !== join(SOURCE, 'core/plan/read/yaml-library.ts')
      ? undefined
      : {
          code: [
            "import { createRequire } from 'node:module'",
            'let library',
            "export const yamlLibrary = () => (library ??= createRequire(import.meta.url)('yaml'))",
          ].join('\n'),
          map: null,
        },
}

function grouped([name, entries]: (typeof GROUPS)[number], index: number): CodeSplittingGroup {
  let members: ReadonlySet<string> | undefined
  return {
    debugName: name,
    priority: GROUPS.length - index,
    name: (id, context) => {
      members ??= importedBy(entries, (one) => context.getModuleInfo(one)?.importedIds ?? [])
      return members.has(id) ? name : null
    },
  }
}

/** The entries and everything that is loaded with them. */
function importedBy(entries: readonly string[], importsOf: (id: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  const open = entries.map((entry) => join(SOURCE, `${entry}.ts`))
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue
    found.add(id)
    open.push(...importsOf(id))
  }
  return found
}

/** The folder of a build becomes dist/, from which the way to src/ is another one. */
function sourceFromDist(dir: string, folder: string, source: string): string {
  return relative(join(ROOT, 'dist', relative(dir, folder)), join(folder, source))
    .split(sep)
    .join('/')
}

async function bundle(dir: string, entries: readonly string[], isAlone: boolean): Promise<void> {
  await build({
    input: Object.fromEntries(entries.map((entry) => [entry, join(SOURCE, `${entry}.ts`)])),
    // Packages stay what they are: their versions are the user's to see and to patch.
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith(SOURCE),
    platform: 'node',
    plugins: [lateYaml, placeOfModules],
    logLevel: 'warn',
    output: {
      dir,
      format: 'esm',
      sourcemap: true,
      sourcemapPathTransform: (source, map) => sourceFromDist(dir, dirname(map), source),
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: isAlone ? false : { groups: GROUPS.map(grouped) },
    },
  })
}

export async function bundleProduct(dir: string): Promise<void> {
  await bundle(dir, TOGETHER, false)
  for (const entry of ALONE) await bundle(dir, [entry], true)
}
