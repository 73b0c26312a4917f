/**
 * The test runner's settings: every test file of the repository, on a Node that can run the product. Most files share a
 * few processes, so that what they import is loaded once; those that stop servers, kill processes or compute for long have one each.
 */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongFirst } from './test/setup/long-first.ts'

/** Many tests wait, for a disk, a server, a child process or a timer: on a small machine three files for each core keep it busy. */
const CORES = availableParallelism()

/** These leave nothing behind in their process: `test/setup/close-left-open.ts` closes what a test left open. */
const SHARED = [
  'src/**/*.test.ts',
  'examples/**/*.test.ts',
  'test/{arch,conformance,core,e2e,security,server,trace,web}/**/*.test.ts',
  // It bundles the workflow code itself; beside others it could be given a bundle that was kept.
  'test/golden/!(temporal-replay).test.ts',
]

/** What is measured in milliseconds is measured when nothing else runs. */
const ALONE = 'test/levels/**/*.test.ts'

export default defineConfig({
  test: {
    globalSetup: ['test/setup/require-node.ts', 'test/setup/memory-folder.ts'],
    setupFiles: ['test/setup/own-environment.ts', 'test/setup/child-output.ts', 'test/setup/close-left-open.ts'],
    // Only what hangs meets these: waits end by their condition, and a busy machine takes longer.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    pool: 'forks',
    maxWorkers: CORES + Math.min(2 * CORES, 6),
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'own',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...SHARED, ALONE],
        },
      },
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false } },
      // After all others, and one file after another.
      {
        extends: true,
        test: { name: 'alone', include: [ALONE], fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
