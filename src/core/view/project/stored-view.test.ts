import { describe, expect, it } from 'vitest'
import { META, richLog, started } from '../../../../test/fixtures/seen-run.ts'
import { incrementalProject, projectRun } from './project-run.ts'
import { itemsOf, snapshotOf } from '../show/snapshot-of.ts'
import { VIEW_VERSION, viewFromText, viewToText } from './stored-view.ts'

describe('a stored view', () => {
  it('goes on where it was stored, at every point of a log, named steps and unnamed ones [PRJ-07]', () => {
    const { records } = richLog()
    for (const meta of [META, { runId: 'run-1', stepIds: ['c'] }]) {
      const whole = projectRun(meta, records).view
      for (let cut = 0; cut <= records.length; cut += 1) {
        const back = viewFromText(viewToText(projectRun(meta, records.slice(0, cut)).view), meta)
        if (back === undefined) throw new Error(`no view after ${cut} events`)
        const { view } = incrementalProject(back, records.slice(cut))
        expect(snapshotOf(view)).toEqual(snapshotOf(whole))
        expect(itemsOf(view, 'b')).toEqual(itemsOf(whole, 'b'))
      }
    }
  })

  it('of another version, of another run, or damaged is none [PRJ-15]', () => {
    const text = viewToText(projectRun(META, started().records).view)
    expect(viewFromText(text, META)).toBeDefined()
    expect(viewFromText(text.replace(`"viewVersion":${VIEW_VERSION}`, '"viewVersion":999'), META)).toBeUndefined()
    expect(viewFromText(text, { ...META, runId: 'run-2' })).toBeUndefined()
    for (const damaged of ['', 'null', '[]', '{}', text.slice(0, -9)])
      expect(viewFromText(damaged, META)).toBeUndefined()
  })
})
