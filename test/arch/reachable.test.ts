/**
 * Nothing that only tests reach: every module of the product, and every function and value that it exports, is used by something that a
 * user can call. Those are the exports of the package, its command, its page, and the files that threads and Temporal's sandbox load by their name.
 * What no door leads to yet stands in waiting.json with the door that is to come, as a module or as `module#name`. That list may only
 * become shorter, and what is proved there alone is deferred.
 */
import { expect, it } from 'vitest'
import { filesUnder, productFiles, textOf } from '../../scripts/repository.ts'
import { isNameInModule, readWaiting } from '../../scripts/waiting-proofs.ts'
import { exportedValues, reachedNames } from './reached-names.ts'
import { importsOf } from './source.ts'

/** Loaded by name, in a thread, a process or a sandbox of their own. */
const LOADED_BY_NAME = [
  'src/adapters/engines/temporal/sandbox/no-stack-traces.ts',
  'src/adapters/engines/temporal/sandbox/generic-workflow.ts',
  'src/adapters/guard/guard-thread.ts',
  'src/adapters/isolation/entry.ts',
  'src/adapters/stores/postgres/renew-leases.ts',
  'src/adapters/stores/sqlite/renew-leases.ts',
  'src/adapters/stores/sqlite/write-batches.ts',
  'src/library/plans/compile-thread.ts',
]

const PAGE = 'web/src/main.tsx'

function entries(): readonly string[] {
  const { exports } = JSON.parse(textOf('package.json')) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  }
  const exported = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [] : [target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
  )
  // Scripts write what the package ships beside its code: schemas and the reference.
  return [...exported, 'src/edge/cli/main.ts', PAGE, ...LOADED_BY_NAME, ...filesUnder('scripts', ['.ts'])]
}

function reachedFrom(roots: readonly string[], importsFrom: (path: string) => readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const open = [...roots]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    open.push(...importsFrom(path))
  }
  return seen
}

function ownImports(path: string): readonly string[] {
  return importsOf(path).flatMap((item) => (item.external ? [] : [item.to]))
}

it('every module is reached from what a user can call, or waits for a door that is named', () => {
  const reached = reachedFrom(entries(), ownImports)
  const unreached = productFiles().filter((path) => !reached.has(path))
  expect(unreached).toEqual(Object.keys(readWaiting()).filter((key) => !isNameInModule(key)))
})

it('every function and value that a reached module exports is used by what a user can call, or waits for a door that is named', () => {
  const ours = new Set([
    ...productFiles(),
    ...filesUnder('scripts', ['.ts']),
    ...filesUnder('web/src', ['.ts', '.tsx']),
  ])
  const used = reachedNames(entries(), (path) => ours.has(path))
  const reached = reachedFrom(entries(), ownImports)
  const unused = productFiles()
    .filter((path) => reached.has(path))
    .flatMap((path) => exportedValues(path).map((name) => `${path}#${name}`))
    .filter((key) => !used.has(key))
  expect(unused.sort()).toEqual(Object.keys(readWaiting()).filter(isNameInModule))
})

it('a function that only a test calls is not used, and one that a used function mentions is', () => {
  const ours = new Set(productFiles())
  const used = reachedNames(['src/app/project/read-snapshot.ts'], (path) => ours.has(path))
  expect(used.has('src/core/view/fold/fold-event.ts#foldEvent')).toBe(true)
  expect(used.has('src/core/view/show/journal.ts#journalOf')).toBe(false)
})

it('a module that only a test imports is not reached', () => {
  const graph: Readonly<Record<string, readonly string[]>> = { main: ['a'], a: ['b'], test: ['c'] }
  expect([...reachedFrom(['main'], (path) => graph[path] ?? [])].sort()).toEqual(['a', 'b', 'main'])
})
