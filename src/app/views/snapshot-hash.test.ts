import { describe, expect, it } from 'vitest'
import { META, richLog } from '../../../test/fixtures/seen-run.ts'
import { incrementalProject, projectRun } from '../../core/view/project/project-run.ts'
import { snapshotOf } from '../../core/view/show/snapshot-of.ts'
import { snapshotHash } from './snapshot-hash.ts'
import { runChild } from '../../../test/fixtures/child.ts'

const here = new URL('.', import.meta.url)
const PROGRAM = `
  const { META, richLog } = await import(${JSON.stringify(new URL('../../../test/fixtures/seen-run.ts', here).href)})
  const { projectRun } = await import(${JSON.stringify(new URL('../../core/view/project/project-run.ts', here).href)})
  const { snapshotOf } = await import(${JSON.stringify(new URL('../../core/view/show/snapshot-of.ts', here).href)})
  const { snapshotHash } = await import(${JSON.stringify(new URL('./snapshot-hash.ts', here).href)})
  process.stdout.write(snapshotHash(snapshotOf(projectRun(META, richLog().records).view)))
`

describe('the hash of a snapshot', () => {
  it('is equal for equal logs in two processes and another for another log [PRJ-24]', () => {
    const { records } = richLog()
    const whole = snapshotHash(snapshotOf(projectRun(META, records).view))
    const inParts = incrementalProject(projectRun(META, records.slice(0, 7)).view, records.slice(7)).view
    expect(snapshotHash(snapshotOf(inParts))).toBe(whole)
    const other = runChild(process.execPath, ['--input-type=module', '-e', PROGRAM])
    expect(other.stderr).toBe('')
    expect(other.stdout).toBe(whole)
    expect(snapshotHash(snapshotOf(projectRun(META, records.slice(0, -1)).view))).not.toBe(whole)
  })

  it('refuses numbers that JSON cannot say [PRJ-24]', () => {
    const snapshot = snapshotOf(projectRun(META, []).view)
    expect(() => snapshotHash({ ...snapshot, totalDurationMs: Number.NaN })).toThrow('SCHEMA_VALIDATION_FAILED')
    expect(() => snapshotHash({ ...snapshot, failedSteps: Number.POSITIVE_INFINITY })).toThrow(
      'SCHEMA_VALIDATION_FAILED',
    )
  })
})
