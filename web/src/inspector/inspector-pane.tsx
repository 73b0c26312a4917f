/** What is selected, at the moment of the cursor: why it is where it is, what it was given and gave back, its attempts. */
import { Suspense, type ReactElement } from 'react'
import { slotLabel } from '../../../src/core/view/show/labels.ts'
import { StateChip } from '../shown/state-mark.tsx'
import { stepLook } from '../shown/states.ts'
import { waitKind } from '../shown/wait-kind.ts'
import { JsonValue } from '../shown/json-value.tsx'
import { EventCard } from '../events/event-card.tsx'
import { AttemptsTab } from './attempts-tab.tsx'
import { FileArtifacts } from './file-artifacts.tsx'
import { ItemsTab } from './items-tab.tsx'
import { RunTab } from './run-tab.tsx'
import type { At } from '../history/at.ts'
import { slotAt } from './slot-at.ts'
import { InputTab, OutputTab } from './values-tabs.tsx'
import { openTab, selectStep, type Tab } from '../history/use-moment.ts'
import { WhyTab } from './why-tab.tsx'
import { part } from '../server/part.ts'

const ArtifactList = part(async () => (await import('./artifact-list.tsx')).ArtifactList)
const TryTab = part(async () => (await import('./try-tab.tsx')).TryTab)

const TAB_WORDS: Readonly<Record<Tab, string>> = {
  why: 'why',
  input: 'input',
  output: 'output',
  attempts: 'attempts',
  items: 'items',
  artifacts: 'artifacts',
  event: 'event',
  try: 'try',
  raw: 'raw',
}

export function InspectorPane({ at }: { readonly at: At }): ReactElement {
  const { step: slot, tab } = at.moment
  if (slot === undefined) return <RunTab at={at} />
  const step = slotAt(at.view, at.snapshot, slot)
  const tabs = (Object.keys(TAB_WORDS) as Tab[]).filter(
    (one) => !isEmpty(one, step) && (one !== 'try' || at.file === undefined),
  )
  const open = tabs.includes(tab) ? tab : 'why'
  return (
    <section className="inspector" aria-label={`Step ${slot}`}>
      <header>
        <h2>{slotLabel(slot)}</h2>
        {step === undefined ? null : <StateChip look={stepLook(step, waitKind(at.history.graph, slot))} />}
        <button
          type="button"
          className="small close"
          onClick={() => selectStep(undefined)}
          aria-label="Close the step"
          title="esc"
        >
          ✕
        </button>
      </header>
      <div className="tabs" role="tablist" aria-label="About the step">
        {tabs.map((one) => (
          <button key={one} type="button" role="tab" aria-selected={one === open} onClick={() => openTab(one)}>
            {TAB_WORDS[one]}
            {one === 'attempts' && step !== undefined ? ` (${step.attempts.length})` : ''}
            {one === 'artifacts' && step !== undefined ? ` (${step.artifacts.length})` : ''}
          </button>
        ))}
      </div>
      <div className="tab" role="tabpanel" aria-label={TAB_WORDS[open]} tabIndex={0}>
        <Suspense fallback={<p className="quiet loading">…</p>}>{panel(open, at, slot, step)}</Suspense>
      </div>
    </section>
  )
}

function isEmpty(tab: Tab, step: ReturnType<typeof slotAt>): boolean {
  if (tab === 'items') return step?.items === undefined
  return tab === 'artifacts' && (step?.artifacts.length ?? 0) === 0
}

function panel(tab: Tab, at: At, slot: string, step: ReturnType<typeof slotAt>): ReactElement {
  if (step === undefined) return <p className="quiet">The run has no step of this name at event {at.moment.seq}.</p>
  switch (tab) {
    case 'why':
      return <WhyTab at={at} slot={slot} />
    case 'input':
      return <InputTab at={at} slot={slot} step={step} />
    case 'output':
      return <OutputTab at={at} slot={slot} step={step} />
    case 'attempts':
      return <AttemptsTab at={at} slot={slot} step={step} />
    case 'items':
      return <ItemsTab at={at} stepId={slot} />
    case 'artifacts':
      if (at.file !== undefined) return <FileArtifacts artifacts={step.artifacts} />
      return <ArtifactList executionId={at.execution.executionId} artifacts={step.artifacts} />
    case 'try':
      return <TryTab key={slot} at={at} slot={slot} />
    case 'event':
      return <EventCard at={at} />
    case 'raw':
      return <JsonValue value={step} label={`state of ${slot}`} />
    default:
      return tab satisfies never
  }
}
