/** The command of the simulator: what it takes is told, not run. */
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { runChild } from '../fixtures/child.ts'

const CLI = fileURLToPath(new URL('./cli.ts', import.meta.url))

it.each(['--help', '-h'])('tells its options on %s and explores nothing', (flag) => {
  const { status, stdout } = runChild(process.execPath, [CLI, flag], { timeout: 170_000 })
  expect(status).toBe(0)
  for (const name of ['--histories', '--seed', '--max-steps', '--crash-plans', '--failures', '--no-shrink', '--json'])
    expect(stdout).toContain(name)
  expect(stdout).not.toContain('violations')
})
