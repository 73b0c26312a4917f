/** The command of the simulator: what it takes is told, not run. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const CLI = fileURLToPath(new URL('./cli.ts', import.meta.url))

it.each(['--help', '-h'])('tells its options on %s and explores nothing', (flag) => {
  const { status, stdout } = spawnSync(process.execPath, [CLI, flag], { encoding: 'utf8', timeout: 30_000 })
  expect(status).toBe(0)
  for (const name of ['--histories', '--seed', '--max-steps', '--crash-plans', '--failures', '--no-shrink', '--json'])
    expect(stdout).toContain(name)
  expect(stdout).not.toContain('violations')
})
