/**
 * The command on Temporal as a newcomer and an operator use it: a real server, workers and clients in processes of their own,
 * one state folder between them.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ownPort } from '../setup/own-port.ts'
import { Command, folderWith, jsonLines, keelson, sideLines, until } from './command.ts'
import { PLAN } from './gated-steps.ts'
import { apart, begun, call, finishStep, onTemporal, project, run, server, STEPS, worker } from './temporal-project.ts'

onTemporal()

describe('run --engine temporal', () => {
  it('shows the run move while it does, and how it ended', async () => {
    const folder = project()
    const at = apart()
    const command = run(folder, at)
    const id = await begun(folder, command)
    await command.shows(/▸ a/)
    expect(command.stdout).not.toContain('✔ a')
    finishStep(folder, 'a')
    await command.shows(/✔ a [\s\S]*▸ b/)
    finishStep(folder, 'b')
    const { code, stdout } = await command.finished
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^p 1\.0\.0 {3}run [0-9a-f]{8} {3}temporal, [\s\S]*✔ completed in/) as string,
    })
    expect((await call(folder, at, 'verify', id)).code).toBe(0)
    expect(server.command('workflow', 'list', '--query', `WorkflowId STARTS_WITH '${id}'`)).toContain('Completed')
  })

  it('ends with code 1 when a step fails; fork goes on from there, on Temporal again', async () => {
    const folder = project()
    const at = apart()
    finishStep(folder, 'a')
    const failed = await call(folder, at, 'run', 'q.yaml', '--engine', 'temporal')
    expect(failed).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/✖ failed after .*c {2,3}NO_LUCK/) as string,
    })
    writeFileSync(
      join(folder, 'keelson.steps.mjs'),
      `${STEPS.split('export const breaks')[0]}export const breaks = () => 1\n`,
    )
    const forked = await call(folder, at, 'fork', 'last')
    expect(forked).toMatchObject({ code: 0, stdout: expect.stringMatching(/temporal, [\s\S]*✔ completed/) as string })
    expect(sideLines(folder)).toEqual(['a'])
  })

  it('is left by Ctrl-C with exit code 4 for its workers, and cancelled by `cancel`', async () => {
    const folder = project()
    const at = apart()
    const command = run(folder, at)
    const id = await begun(folder, command)
    command.kill('SIGINT')
    const { code, stdout } = await command.finished
    expect({ code, stdout }).toEqual({
      code: 4,
      stdout: expect.stringMatching(
        /is left as it is\n.*keelson show .*\n.*keelson worker --engine temporal\n.*keelson cancel/,
      ) as string,
    })
    await worker(folder, at)
    expect(await call(folder, at, 'cancel', id)).toMatchObject({ code: 0 })
    await until('it is cancelled', async () => (await call(folder, at, 'show', id)).stdout.includes('■ cancelled'))
  })

  it('tells in its own words that the server is away, and starts nothing [TMP-14]', async () => {
    const folder = project()
    const nobody = { TEMPORAL_ADDRESS: `127.0.0.1:${await ownPort()}` }
    const [client, own] = await Promise.all([
      run(folder, nobody).finished,
      keelson(['worker', '--engine', 'temporal'], folder, undefined, nobody),
    ])
    for (const { code, stderr } of [client, own])
      expect({ code, stderr }).toEqual({
        code: 6,
        stderr: expect.stringMatching(
          /^TEMPORAL_CLIENT_NOT_CONNECTED .*no answer from the Temporal server at 127[\s\S]*keelson dev temporal/,
        ) as string,
      })
    expect((await call(folder, nobody, 'runs')).stdout).toContain('no runs yet')
  })

  it('refuses a namespace that is not there, a bad address, and options that do not go together [TMP-14]', async () => {
    const folder = project()
    const at = apart()
    const cases = [
      [['--namespace', 'nope'], /^TEMPORAL_CLIENT_NOT_CONFIGURED .*has no namespace 'nope'/],
      [['--address', 'nowhere'], /^TEMPORAL_CLIENT_NOT_CONFIGURED .*host:port/],
      [['--queue'], /^USAGE .*--queue/],
    ] as const
    for (const [more, expected] of cases) {
      const { code, stderr } = await run(folder, at, ...more).finished
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(expected) as string })
    }
    const client = await keelson(['run', 'p.yaml', '--client-only'], folder)
    expect(client).toMatchObject({ code: 2, stderr: expect.stringMatching(/^USAGE .*--engine temporal/) as string })
    expect((await call(folder, at, 'runs')).stdout).toContain('no runs yet')
  })
})

describe('a worker', () => {
  it('carries out what a client without the functions has started; the client says when nobody listens', async () => {
    const folder = project()
    const at = apart()
    const elsewhere = folderWith({ 'p.yaml': PLAN })
    const dir = ['--dir', join(folder, '.keelson')]
    const words = ['run', 'p.yaml', '--engine', 'temporal', '--client-only', ...dir]
    const client = new Command(words, elsewhere, undefined, at)
    await client.shows(/no worker listens on cli-\d+-local: start one with `keelson worker --engine temporal`/)
    const host = await worker(folder, at)
    await host.shows(/listens on cli-\d+-local\n {2}can do {5}breaks, gated/)
    finishStep(folder, 'a')
    finishStep(folder, 'b')
    expect((await client.finished).code).toBe(0)
    expect(client.stdout.match(/no worker listens/g)).toHaveLength(1)
    const second = new Command(words, elsewhere, undefined, at)
    expect((await second.finished).stdout).not.toContain('no worker')
    expect(host.stdout).toContain('worker ready')
  })

  it('that is asked to stop lets its step end first, and takes no other', async () => {
    const folder = project()
    const at = apart()
    const host = await worker(folder, at)
    const client = run(folder, at, '--client-only')
    const id = await begun(folder, client)
    host.kill('SIGTERM')
    await host.shows(/SIGTERM: what is at work may end/)
    finishStep(folder, 'a')
    const { code, stdout } = await host.finished
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('worker stopped') as string })
    await worker(folder, at)
    finishStep(folder, 'b')
    expect((await client.finished).code).toBe(0)
    const events = jsonLines((await call(folder, at, 'events', id, '--json')).stdout)
    const starts = events.filter((one) => one['eventType'] === 'StepStarted')
    expect(starts.map((one) => [one['stepId'], one['logicalAttemptId']])).toEqual([
      ['a', 1],
      ['b', 1],
    ])
    expect(sideLines(folder)).toEqual(['a', 'b'])
  })

  it('that is killed in a step is followed by another, which runs the same attempt again', async () => {
    const folder = project()
    const at = apart()
    const host = await worker(folder, at)
    const client = run(folder, at, '--client-only')
    const id = await begun(folder, client)
    host.kill('SIGKILL')
    await host.finished
    await worker(folder, at)
    finishStep(folder, 'a')
    finishStep(folder, 'b')
    expect((await client.finished).code).toBe(0)
    const events = jsonLines((await call(folder, at, 'events', id, '--json')).stdout)
    const ends = events.filter((one) => one['eventType'] === 'StepCompleted')
    expect(ends.map((one) => [one['stepId'], one['logicalAttemptId']])).toEqual([
      ['a', 1],
      ['b', 1],
    ])
    expect(sideLines(folder)).toEqual(['a', 'a', 'b'])
  })

  it('is for outside engines alone', async () => {
    const refused = await keelson(['worker', '--engine', 'embedded'], project())
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/^USAGE .*--engine temporal/) as string })
  })
})
