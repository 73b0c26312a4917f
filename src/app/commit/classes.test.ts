/** What may be written late is checked before anything starts. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EventType } from '../../core/events/event.ts'
import { EVENT_TYPES } from '../../core/events/event.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import { openKeelson } from '../../main.ts'
import { lateClasses, type CommitClasses } from './classes.ts'

const CONFLICTS: readonly (readonly [string, CommitClasses, RegExp])[] = [
  [
    'one type in both lists',
    { failOpenForEventClass: ['StepStarted'], neverFailOpen: ['StepStarted', 'StepFailed'] },
    /StepStarted is in failOpenForEventClass and in neverFailOpen/,
  ],
  ['a critical type', { failOpenForEventClass: ['StepStarted', 'StepCompleted'], neverFailOpen: [] }, /StepCompleted/],
  ['a type in neither list', { failOpenForEventClass: ['RunPaused'] }, /RunPaused is critical/],
  ['a type there is not', { failOpenForEventClass: ['StepBegan' as EventType] }, /no event 'StepBegan'/],
]

describe('settings of what may be late', () => {
  it.each(CONFLICTS)('are refused at start-up with %s [LAT-04]', async (_what, stateStore, message) => {
    const directory = await mkdtemp(join(tmpdir(), 'keelson-classes-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const refused = await openKeelson({ directory, stateStore }).catch((thrown: unknown) => thrown)
    expect(refused).toBeInstanceOf(KeelsonError)
    expect(refused).toMatchObject({ code: 'FAIL_OPEN_CONFLICT', message: expect.stringMatching(message) as string })
    expect(await readdir(directory)).toEqual([])
  })

  it('are refused where there is no folder to keep intents in [LAT-04]', async () => {
    const stateStore = { failOpenForEventClass: ['StepStarted'] } as const
    await expect(openKeelson({ directory: ':memory:', stateStore })).rejects.toMatchObject({
      code: 'FAIL_OPEN_CONFLICT',
    })
  })

  it('let nothing be late unless asked, and of all events StepStarted alone [LAT-04, LAT-05]', () => {
    expect([...lateClasses({})]).toEqual([])
    const allowed = EVENT_TYPES.filter((type) => {
      try {
        return lateClasses({ failOpenForEventClass: [type], neverFailOpen: [] }).has(type)
      } catch {
        return false
      }
    })
    expect(allowed).toEqual(['StepStarted'])
  })
})
