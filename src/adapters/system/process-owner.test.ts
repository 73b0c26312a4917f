/** A lease's owner is gone only when that is certain. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isOwnerAlive, isOwnerGone, processOwner } from './process-owner.ts'
import { systemRandom } from './random.ts'
import { runChild, startChild } from '../../../test/fixtures/child.ts'

it('a living process is not gone, an ended one of this machine is, and of another machine nobody knows', () => {
  const own = processOwner(systemRandom)
  expect(isOwnerGone(own)).toBe(false)
  const { pid } = runChild(process.execPath, ['-e', '0'])
  const ended = own.replace(`#${process.pid}#`, `#${pid}#`)
  expect(isOwnerGone(ended)).toBe(true)
  expect(isOwnerGone(`elsewhere${ended}`)).toBe(false)
  expect(isOwnerGone('not an owner of ours')).toBe(false)
})

it('two names of one process differ', () => {
  expect(processOwner(systemRandom)).not.toBe(processOwner(systemRandom))
})

it.runIf(process.platform === 'linux')(
  'a process at work is alive; one that was stopped, that is another under the same number, or this one is not surely so',
  async () => {
    const child = startChild(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)'])
    await once(child.stdout, 'data')
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    const since = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
    const own = processOwner(systemRandom)
    const name = (born: string): string => own.replace(`#${process.pid}#`, `#${child.pid}#`).replace(/\d+$/, born)
    expect(isOwnerAlive(name(since))).toBe(true)
    expect(isOwnerGone(name(since))).toBe(false)
    expect([isOwnerAlive(name('1')), isOwnerGone(name('1'))]).toEqual([false, true])
    expect(isOwnerAlive(own)).toBe(false)
    child.kill('SIGSTOP')
    while (isOwnerAlive(name(since))) await new Promise<void>((resolve) => void setImmediate(resolve))
    expect(isOwnerGone(name(since))).toBe(false)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(isOwnerGone(name(since))).toBe(true)
  },
)

it.runIf(process.platform === 'linux')(
  'a dead process that its starter never waits for is gone, as in a container without an init',
  async () => {
    // The shell becomes a program that waits for no child.
    const starter = startChild('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'])
    const [told] = (await once(starter.stdout, 'data')) as [Buffer]
    const pid = Number(told.toString('utf8'))
    // A shell that is still a shell may look after its children.
    while (readFileSync(`/proc/${starter.pid}/comm`, 'utf8') !== 'sleep\n')
      await new Promise<void>((resolve) => void setImmediate(resolve))
    const statOf = (): readonly string[] => {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    }
    const name = processOwner(systemRandom)
      .replace(`#${process.pid}#`, `#${pid}#`)
      .replace(/\d+$/, statOf()[19] ?? '')
    expect(isOwnerGone(name)).toBe(false)
    process.kill(pid, 'SIGKILL')
    while (statOf()[0] !== 'Z') await new Promise<void>((resolve) => void setImmediate(resolve))
    expect([isOwnerGone(name), isOwnerAlive(name)]).toEqual([true, false])
    starter.kill('SIGKILL')
  },
)
