/** What a fork would take over, what it would do again and why, and which effects that repeats in the world. Nothing was started. */
import type { ReactElement } from 'react'
import { againWords } from '../../../src/core/run/fork/again-words.ts'
import type { ForkApproval } from '../../../src/core/run/fork/approval.ts'
import type { RepeatedEffect } from '../../../src/core/run/fork/repeated-effects.ts'
import type { AgainReason } from '../../../src/core/run/fork/standing.ts'
import type { PlanDiff } from '../../../src/core/plan/write/diff-plans.ts'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { StateMark } from '../shown/state-mark.tsx'
import type { Look } from '../shown/states.ts'
import { plural, shortId } from '../shown/words.ts'

export interface Previewed {
  readonly taken: readonly string[]
  readonly again: Readonly<Record<string, AgainReason>>
  readonly repeats: readonly RepeatedEffect[]
  readonly dropped: readonly string[]
  readonly approval: ForkApproval
  readonly plan?: PlanDiff
  readonly input?: readonly string[]
}

const TAKEN: Look = { word: 'taken over', shape: 'check', tone: 'good' }
const AGAIN: Look = { word: 'done again', shape: 'again', tone: 'busy' }
const REPEATED: Look = { word: 'repeated', shape: 'cross', tone: 'bad' }

const APPROVAL: Readonly<Record<ForkApproval, string | undefined>> = {
  none: undefined,
  waits: 'The run was to wait for a person: the fork waits in the queue for approval.',
  refused: 'The run was to wait for a person: this fork is refused. Start the plan anew and have it approved.',
}

export function ForkPreview({ preview }: { readonly preview: Previewed }): ReactElement {
  const { taken, again, repeats, dropped, approval, plan, input } = preview
  const asked = Object.entries(again)
  return (
    <>
      {repeats.length === 0 ? (
        <p className="quiet">No effect is repeated in the world.</p>
      ) : (
        <ul className="fork-repeats" aria-label="Effects that are repeated">
          {repeats.map((effect) => (
            <Repeated key={effect.stepId} {...effect} />
          ))}
        </ul>
      )}
      {dropped.length === 0 ? null : (
        <p className="hint">{dropped.join(', ')}: not in this plan; what was done stays, and nothing undoes it.</p>
      )}
      {APPROVAL[approval] === undefined ? null : <p className="hint">{APPROVAL[approval]}</p>}
      <h3>{plural(taken.length, 'step')} taken over</h3>
      <StepList label="Steps taken over" look={TAKEN} steps={taken.map((stepId) => [stepId, ''])} />
      <h3>{plural(asked.length, 'step')} done again</h3>
      <StepList
        label="Steps done again"
        look={AGAIN}
        steps={asked.map(([stepId, reason]) => [stepId, againWords(reason)])}
      />
      {plan === undefined ? null : <PlanChanges {...plan} />}
      {input === undefined ? null : (
        <p className="quiet">another input: {input.length === 0 ? 'all of it' : input.join(', ')}</p>
      )}
    </>
  )
}

function Repeated({ stepId, effect, inDoubt, inRunId }: RepeatedEffect): ReactElement {
  return (
    <li>
      <StateMark look={REPEATED} size={12} /> <strong>{stepId}</strong>{' '}
      {inDoubt ? 'may have been done already' : 'was done already and is not undone'}
      {inRunId === undefined ? null : (
        <>
          {' '}
          by <Link href={runPath(inRunId)}>run {shortId(inRunId)}</Link>
        </>
      )}
      {effect === 'irreversible' ? ', and cannot be undone' : ''} <span className="quiet">{effect}</span>
    </li>
  )
}

const SHOWN = 50

interface StepListProps {
  readonly label: string
  readonly look: Look
  readonly steps: readonly (readonly [stepId: string, why: string])[]
}

function StepList({ label, look, steps }: StepListProps): ReactElement {
  if (steps.length === 0) return <p className="quiet">none</p>
  return (
    <ul className="fork-steps" aria-label={label}>
      {steps.slice(0, SHOWN).map(([stepId, why]) => (
        <li key={stepId}>
          <StateMark look={look} size={12} /> {stepId} <span className="quiet">{why}</span>
        </li>
      ))}
      {steps.length > SHOWN ? <li className="quiet">and {steps.length - SHOWN} more</li> : null}
    </ul>
  )
}

function PlanChanges({ added, removed, changed }: PlanDiff): ReactElement {
  const parts = [
    ...(added.length === 0 ? [] : [`new: ${added.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`gone: ${removed.join(', ')}`]),
    ...changed.map(({ stepId, fields }) => `${stepId}: ${fields.map(({ path }) => path).join(', ')}`),
  ]
  return (
    <>
      <h3>what the other plan changes</h3>
      {parts.length === 0 ? <p className="quiet">no step</p> : null}
      <ul className="fork-steps">
        {parts.slice(0, SHOWN).map((part) => (
          <li key={part}>{part}</li>
        ))}
      </ul>
    </>
  )
}
