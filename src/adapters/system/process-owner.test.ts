/** A lease's owner is gone only when that is certain. */
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { isOwnerGone, processOwner } from './process-owner.ts'
import { systemRandom } from './random.ts'

it('a living process is not gone, an ended one of this machine is, and of another machine nobody knows', () => {
  const own = processOwner(systemRandom)
  expect(isOwnerGone(own)).toBe(false)
  const { pid } = spawnSync(process.execPath, ['-e', '0'])
  const ended = own.replace(`#${process.pid}#`, `#${pid}#`)
  expect(isOwnerGone(ended)).toBe(true)
  expect(isOwnerGone(`elsewhere${ended}`)).toBe(false)
  expect(isOwnerGone('not an owner of ours')).toBe(false)
})

it('two names of one process differ', () => {
  expect(processOwner(systemRandom)).not.toBe(processOwner(systemRandom))
})
