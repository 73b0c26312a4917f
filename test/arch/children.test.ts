/** Tests start processes through one fixture, so that a failing test says what its processes told. */
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { filesUnder, textOf } from '../../scripts/repository.ts'
import { childrenTold, forgetEndedChildren, runChild, startChild } from '../fixtures/child.ts'

/** The fixture itself, servers that tell their own end, and what no test of the suite imports or judges by itself. */
const BY_THEMSELVES = [
  'test/fixtures/child.ts',
  'test/mutants/run.ts',
  'test/setup/conductor.ts',
  'test/setup/memory-folder.ts',
  'test/setup/postgres-cluster.ts',
  'test/setup/postgres.ts',
  'test/setup/temporal.ts',
  'test/setup/toxiproxy.ts',
]

const STARTS =
  /^import \{[^}]*\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork)\b[^}]*\} from 'node:child_process'/m

it('no test starts a process past the fixture that listens to it', () => {
  const files = [...filesUnder('test', ['.ts']), ...filesUnder('src', ['.test.ts']), ...filesUnder('examples', ['.ts'])]
  const past = files.filter((path) => !path.startsWith('test/bench/') && STARTS.test(textOf(path)))
  expect(past.filter((path) => !path.endsWith('process-groups.test.ts'))).toEqual(BY_THEMSELVES)
})

it('a failing test is told how its processes ended and what they said', async () => {
  const script = 'console.error("why it died"); process.exit(3)'
  const child = startChild(process.execPath, ['-e', script])
  await once(child, 'close')
  const ran = runChild(process.execPath, ['-e', 'process.kill(process.pid)'])
  expect(ran.signal).toBe('SIGTERM')
  expect(childrenTold().split('\n')).toEqual([
    `process ${process.execPath} -e ${script}`,
    '  ended with 3: why it died',
    `process ${process.execPath} -e process.kill(process.pid)`,
    '  ended with SIGTERM',
  ])
  forgetEndedChildren()
  expect(childrenTold()).toBe('')
})
