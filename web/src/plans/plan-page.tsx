/** One published plan: its versions, and of the chosen one its graph, steps, inputs, problems and text; its last runs. */
import type { ReactElement } from 'react'
import { editorPath, goTo, PLANS, planDiffPath, startPath, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { me } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { ActButton } from '../shown/act-button.tsx'
import { CopyButton } from '../shown/copy-button.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { PlanRuns } from './plan-runs.tsx'
import { PlanTabs } from './plan-tabs.tsx'
import { usePlan, type ReadPlan } from './use-plan.ts'
import { VersionList } from './version-list.tsx'
import '../styles/operate.css'
import '../styles/plans.css'

export function PlanPage({ planId }: { readonly planId: string }): ReactElement {
  const { query } = useAddress()
  const asked = query.get('version') ?? undefined
  const { value: read, error, again } = usePlan(planId, asked)
  const now = useClock(true)
  return (
    <main className="plan">
      <Link href={PLANS} className="back">
        ← plans
      </Link>
      <header>
        <h1>
          {planId} <span className="quiet">{read?.planVersion ?? asked}</span>
        </h1>
        {read === undefined ? null : <Head read={read} />}
      </header>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {read === undefined ? (
        error === undefined ? (
          <PlanShape />
        ) : null
      ) : (
        <div className="plan-parts">
          <PlanTabs read={read} />
          <div className="plan-side">
            <VersionList read={read} now={now} />
            <PlanRuns read={read} now={now} />
          </div>
        </div>
      )}
    </main>
  )
}

function Head({ read: { planId, planVersion, sha256, plan, versions } }: { readonly read: ReadPlan }): ReactElement {
  const isDev = useWatched(me)?.dev === true
  const { name, description } = plan.metadata
  const at = versions.findIndex((one) => one.planVersion === planVersion)
  const before = versions[at + 1] ?? versions.find((one) => one.planVersion !== planVersion)
  const version = versions[0]?.planVersion === planVersion ? {} : { version: planVersion }
  return (
    <>
      <code title={sha256}>{sha256.slice(0, 12)}</code>
      <CopyButton text={sha256} words="Copy hash" />
      <span className="room" />
      <ActButton words="Start" needs="RUN_START" isMain onClick={() => goTo(startPath(planId, version))} />
      {before === undefined ? null : (
        <Link className="button-like" href={planDiffPath(planId, before.planVersion, planVersion)}>
          Compare versions
        </Link>
      )}
      {isDev ? (
        <Link className="button-like" href={editorPath({ plan: planId, version: planVersion })}>
          Edit
        </Link>
      ) : null}
      {name === undefined && description === undefined ? null : (
        <p className="about">
          {name === undefined ? null : <strong>{name}</strong>} {description}
        </p>
      )}
    </>
  )
}

/** The shape of the page while it is loading. */
function PlanShape(): ReactElement {
  return (
    <div className="plan-parts" aria-busy="true">
      <p className="quiet shape-box">Reading the plan …</p>
      <div className="plan-side" />
    </div>
  )
}
