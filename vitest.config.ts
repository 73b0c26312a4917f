/**
 * The test runner's settings: every test file of the repository, on a Node that can run the product. Files that only compute share one
 * process per core, so that what they import is loaded once; what opens stores, servers or processes has a process of its own per file.
 */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongFirst } from './test/setup/long-first.ts'

/** Many tests wait, for a disk, a server, a child process or a timer: on a small machine two files for each core keep it busy. */
const CORES = availableParallelism()

const SHARED = [
  'src/core/**/*.test.ts',
  'src/app/**/*.test.ts',
  'src/edge/**/*.test.ts',
  'src/library/**/*.test.ts',
  'test/arch/**/*.test.ts',
  'test/conformance/**/*.test.ts',
  'test/core/**/*.test.ts',
  'test/trace/*.test.ts',
]

export default defineConfig({
  test: {
    globalSetup: ['test/setup/require-node.ts', 'test/setup/memory-folder.ts'],
    setupFiles: ['test/setup/own-environment.ts', 'test/setup/child-output.ts'],
    // Only what hangs meets these: waits end by their condition, and a busy machine takes longer.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    pool: 'forks',
    maxWorkers: CORES + Math.min(CORES, 4),
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'own',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...SHARED],
        },
      },
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false } },
    ],
  },
})
