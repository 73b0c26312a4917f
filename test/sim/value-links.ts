/** Values that pass from one run to another: a child gets what its parent maps, a fork what the old run put out. */
import { slotName } from './oracle-tables.ts'
import type { World } from './world.ts'
import { sortedText } from './value-language.ts'

export function checkLinks(world: World): void {
  for (const track of world.tracks.values()) {
    const { parent } = track.create
    const from = parent === undefined ? undefined : world.trackOf(parent.runId)
    const slot = from?.oracle.model.slots.get(parent?.slot ?? '')
    const input = track.events[0]?.data['input']
    if (from !== undefined && slot !== undefined) {
      const expected = sortedText(from.oracle.values.given(slot, 0))
      if (sortedText(input) !== expected) world.complain(`P-29 a child was given ${sortedText(input)}, not ${expected}`)
    }
    for (const event of track.events) {
      const source = event.payload['reusedFrom'] as { readonly runId: string; readonly runSeq: number } | undefined
      const old = source === undefined ? undefined : world.trackOf(source.runId)
      if (old === undefined || source === undefined || event.eventType !== 'StepCompleted') continue
      const name = slotName(event)
      const expected = sortedText(old.oracle.values.output(name, source.runSeq))
      const told = sortedText(track.oracle.values.output(name, event.runSeq))
      if (told !== expected) world.complain(`P-31 a fork took ${told} of ${name} over, not ${expected}`)
    }
  }
}
