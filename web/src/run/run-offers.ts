/** What the page of a run offers by keyboard: acts on the run and on the selected step, and every step. */
import { ACT_WORDS, offerOf, RUN_ACTS, STEP_ACTS, type Act } from '../acts/offers.ts'
import { openAct } from '../acts/opened-act.tsx'
import { selectStep } from '../history/use-moment.ts'
import type { At } from '../history/at.ts'
import type { Offered } from '../keys/offered.ts'
import { me } from '../server/session.ts'
import { stepLook } from '../shown/states.ts'

export function runOffers(at: At): readonly Offered[] {
  const { step } = at.moment
  const steps = at.snapshot.steps.map((one) => ({
    kind: 'step' as const,
    words: one.stepId,
    detail: stepLook(one).word,
    go: () => selectStep(one.stepId),
  }))
  return [...actsOn(at, RUN_ACTS, undefined), ...(step === undefined ? [] : actsOn(at, STEP_ACTS, step)), ...steps]
}

/** As the buttons offer them: at now alone, and never on a run from a file. */
function actsOn(at: At, acts: readonly Act[], stepId: string | undefined): readonly Offered[] {
  const { history, moment, hasEnded } = at
  const who = me.get()
  const state = moment.isNow && !hasEnded ? history.stateAt(moment.seq) : undefined
  if (state === undefined || who === null || who === undefined) return []
  return acts.flatMap((act) => {
    const offer = offerOf(state, act, stepId, who)
    if (offer === undefined) return []
    const go = (): void => openAct(at, act, stepId)
    return { kind: 'act' as const, words: ACT_WORDS[act], detail: stepId ?? 'the run', whyNot: offer.mayNot, go }
  })
}
