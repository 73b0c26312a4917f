import { getEventListeners } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { CommandEnd, CommandRequest } from '../../ports/processes.ts'
import type { Timers } from '../../ports/timers.ts'
import { systemTimers } from '../system/timers.ts'
import { systemProcesses } from './run-command.ts'

const FOLDER = realpathSync(mkdtempSync(join(tmpdir(), 'keelson-command-')))
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

const PATH = process.env['PATH'] ?? ''

function run(
  argv: CommandRequest['argv'],
  more: Partial<CommandRequest> = {},
  { signal = new AbortController().signal, timers = systemTimers as Pick<Timers, 'after'> } = {},
): Promise<CommandEnd> {
  return systemProcesses({ cwd: FOLDER, path: PATH, timers }).run({ argv, env: {}, ...more }, signal)
}

const node = (code: string, ...args: string[]): CommandRequest['argv'] => [process.execPath, '-e', code, ...args]

async function until(look: () => boolean): Promise<void> {
  while (!look()) await new Promise((resolve) => setImmediate(resolve))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A process that has ended but was not yet waited for does nothing any more.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function pidIn(file: string): number {
  try {
    const text = readFileSync(join(FOLDER, file), 'utf8')
    return text.endsWith('\n') ? Number(text) : 0
  } catch {
    return 0
  }
}

describe('a command', () => {
  it('gets its arguments as they are: no shell reads them', async () => {
    const args = ['$HOME', '`id`', '; touch hacked', '*', '"', "'", 'a b', '', '| cat', '$(id)', '\n']
    const { stdout, exitCode } = await run(node('console.log(JSON.stringify(process.argv.slice(1)))', '--', ...args))
    expect({ exitCode, args: JSON.parse(stdout) as unknown }).toEqual({ exitCode: 0, args })
  })

  it('gets of the environment only PATH and what it was given', async () => {
    process.env['KEELSON_TEST_CANARY'] = 'not for programs'
    const { stdout } = await run(['/usr/bin/env'], { env: { CI: '1' } })
    delete process.env['KEELSON_TEST_CANARY']
    expect(stdout.trim().split('\n').sort()).toEqual(['CI=1', `PATH=${PATH}`])
  })

  it('reads its standard input to the end, or has none', async () => {
    const text = 'ü'.repeat(40_000)
    expect((await run(['cat'], { stdin: text })).stdout).toBe(text.slice(0, 32_768))
    expect((await run(['cat'])).stdout).toBe('')
  })

  it('may leave its input unread', async () => {
    expect(await run(['true'], { stdin: 'x'.repeat(1_000_000) })).toMatchObject({ exitCode: 0 })
  })

  it('runs in the folder of the deployment, or in one below it', async () => {
    expect((await run(['pwd'])).stdout.trim()).toBe(FOLDER)
    expect((await run(['pwd'], { cwd: '..' })).stdout.trim()).toBe(realpathSync(tmpdir()))
  })

  it('tells its exit code, its signal and both outputs', async () => {
    const told = await run(['sh', '-c', 'echo out; echo err >&2; exit 7'])
    expect(told).toMatchObject({ exitCode: 7, signal: null, stdout: 'out\n', stderr: 'err\n' })
    expect(await run(['sh', '-c', 'kill -9 $$'])).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
  })

  it('keeps the first 64 KiB of stdout and the last of stderr, cut between characters', async () => {
    const code =
      "for (const [to, c] of [[process.stdout, 'a'], [process.stderr, 'b']]) to.write(c + 'ü'.repeat(50000) + c)"
    const { stdout, stderr, ...rest } = await run(node(code))
    expect(rest).toMatchObject({ stdoutTruncated: true, stderrTruncated: true })
    expect(stdout).toBe(`a${'ü'.repeat(32_767)}`)
    expect(stderr).toBe(`${'ü'.repeat(32_767)}b`)
  })

  it.each([
    [['no-such-program-anywhere'] as const, {}],
    [[FOLDER] as const, {}],
    [['pwd'] as const, { cwd: 'no-such-folder' }],
    [['echo', 'a\u0000b'] as const, {}],
  ])('that cannot be started is told (%j)', async (argv, more) => {
    await expect(run([...argv], more)).rejects.toMatchObject({ code: 'COMMAND_NOT_STARTED' })
  })

  it('is not started when its signal is aborted already [CAN-05]', async () => {
    const file = join(FOLDER, 'never')
    const asked = run(['touch', file], {}, { signal: AbortSignal.abort('a reason of somebody') })
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
    expect(() => readFileSync(file)).toThrow(/ENOENT/)
  })

  it('ends its own background processes with it', async () => {
    const end = await run(['sh', '-c', 'sleep 600 & echo $! > background; echo done'])
    expect(end).toMatchObject({ exitCode: 0, stdout: 'done\n' })
    const pid = pidIn('background')
    expect(pid).toBeGreaterThan(0)
    await until(() => !isAlive(pid))
  })
})

describe('a command that is asked to stop', () => {
  it('ends by SIGTERM at once when it heeds it, its children too', async () => {
    const controller = new AbortController()
    const ended = run(['sh', '-c', 'sleep 600 & echo $! > child; wait'], {}, { signal: controller.signal })
    await until(() => pidIn('child') > 0)
    controller.abort()
    expect(await ended).toMatchObject({ exitCode: null, signal: 'SIGTERM' })
    await until(() => !isAlive(pidIn('child')))
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  it('leaves what it started the same grace to clean up', async () => {
    const controller = new AbortController()
    const child = "trap 'sleep 0.2; echo cleaned up; exit 0' TERM\necho $$ > cleaning\nwhile :; do sleep 0.05; done\n"
    writeFileSync(join(FOLDER, 'cleaning.sh'), child)
    const ended = run(['sh', '-c', 'sh cleaning.sh & wait'], {}, { signal: controller.signal })
    await until(() => pidIn('cleaning') > 0)
    controller.abort()
    expect(await ended).toMatchObject({ exitCode: null, signal: 'SIGTERM', stdout: 'cleaned up\n' })
  })

  it('may clean up and end by itself within the grace', async () => {
    const controller = new AbortController()
    const code =
      "process.on('SIGTERM', () => { console.log('cleaned up'); process.exit(3) }); console.error('up'); setInterval(() => {}, 9e5); require('fs').writeFileSync('up', process.pid + '\\n')"
    const ended = run(node(code), {}, { signal: controller.signal })
    await until(() => pidIn('up') > 0)
    controller.abort()
    expect(await ended).toMatchObject({ exitCode: 3, stdout: 'cleaned up\n' })
  })

  it('is ended by SIGKILL after exactly 5,000 ms, its whole group and what it held [CAN-04]', async () => {
    const controller = new AbortController()
    const armed: { readonly ms: number; readonly fire: () => void }[] = []
    const timers: Pick<Timers, 'after'> = {
      after: (ms, fire) => {
        armed.push({ ms, fire })
        return () => undefined
      },
    }
    writeFileSync(
      join(FOLDER, 'stubborn.sh'),
      "trap '' TERM\nsleep 600 &\necho $! > stubborn-child\necho $$ > stubborn\nwait\nwait\nsleep 600\n",
    )
    const ended = run(['sh', 'stubborn.sh'], {}, { signal: controller.signal, timers })
    await until(() => pidIn('stubborn') > 0)
    const [leader, child] = [pidIn('stubborn'), pidIn('stubborn-child')]
    controller.abort()
    expect(armed.map(({ ms }) => ms)).toEqual([5_000])
    expect([isAlive(leader), isAlive(child)]).toEqual([true, true])
    armed[0]?.fire()
    expect(await ended).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
    expect(armed.map(({ ms }) => ms)).toEqual([5_000, 1_000])
    await until(() => !isAlive(leader) && !isAlive(child))
  })
})
