/** The command's first file: on an old Node one clear line, before anything that such a Node cannot load. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { textOf } from '../../scripts/repository.ts'
import { ROOT } from '../../scripts/terminal.ts'
import { runChild } from '../fixtures/child.ts'

const COMMAND = join(ROOT, 'bin', 'keelson.js')

/** Starts the command under this Node, which first pretends to be another version. */
function startAs(version: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const preload = `data:text/javascript,${encodeURIComponent(pretend)}`
  return runChild(process.execPath, ['--import', preload, COMMAND, '--version'])
}

it('an old Node gets one line with the code NODE_TOO_OLD and exit code 6', () => {
  for (const version of ['18.20.0', '20.20.2', '22.18.0']) {
    const { status, stderr, stdout } = startAs(version)
    expect({ status, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ status: 6, stdout: '', lines: 1 })
    expect(stderr).toMatch(new RegExp(`^NODE_TOO_OLD .*22\\.19.*${version.replaceAll('.', '\\.')}`))
  }
})

it('a Node that is new enough is not refused for its age', () => {
  for (const version of ['22.19.0', '23.0.0', process.versions.node])
    expect(startAs(version).stderr).not.toContain('NODE_TOO_OLD')
})

it('the first file loads nothing statically but builtins every Node has', () => {
  const specifiers = [...textOf('bin/keelson.js').matchAll(/^import .* from '([^']+)'$/gm)].map((match) => match[1])
  expect(specifiers).toEqual(['node:fs', 'node:module', 'node:os', 'node:path'])
})
