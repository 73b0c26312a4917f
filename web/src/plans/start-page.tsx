/** Starts a run of a published plan: by a form made from its inputs, or by JSON. The version and the run whose input is taken are in the address. */
import { useMemo, useState, type ReactElement } from 'react'
import { planPath, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { inputFields } from './input-fields.ts'
import { StartForm } from './start-form.tsx'
import { usePlan, type ReadPlan } from './use-plan.ts'
import '../styles/plans.css'

export function StartPage({ planId }: { readonly planId: string }): ReactElement {
  const { query } = useAddress()
  const version = query.get('version') ?? undefined
  const { value: newest, error, again } = usePlan(planId, version)
  const read = useFirst(newest, version)
  return (
    <main className="start">
      <Link href={planPath(planId, version)} className="back">
        ← {planId}
      </Link>
      <h1>
        Start {planId} <span className="quiet">{read?.planVersion ?? version}</span>
      </h1>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {read === undefined || newest === undefined ? (
        error === undefined ? (
          <p className="quiet">Reading what its input is …</p>
        ) : null
      ) : (
        <>
          <Newer read={read} newest={newest} />
          <ReadStart key={read.sha256} read={{ ...read, runs: newest.runs }} from={query.get('from') ?? undefined} />
        </>
      )}
    </main>
  )
}

/** A version that is published while somebody fills in the form does not take the form away. */
function useFirst(newest: ReadPlan | undefined, version: string | undefined): ReadPlan | undefined {
  const [first, setFirst] = useState<{ readonly version: string | undefined; readonly read: ReadPlan }>()
  const isThis = first !== undefined && first.version === version
  if (!isThis && newest !== undefined) setFirst({ version, read: newest })
  return isThis ? first.read : newest
}

interface NewerProps {
  readonly read: ReadPlan
  readonly newest: ReadPlan
}

function Newer({ read, newest: { sha256, planVersion } }: NewerProps): ReactElement | null {
  if (sha256 === read.sha256) return null
  return (
    <p className="hint" role="status">
      Version {planVersion} was published meanwhile; this form starts {read.planVersion}.{' '}
      <button type="button" onClick={() => setQuery({ version: planVersion }, 'step')}>
        Begin anew with {planVersion}
      </button>
    </p>
  )
}

function ReadStart({ read, from }: { readonly read: ReadPlan; readonly from: string | undefined }): ReactElement {
  const fields = useMemo(() => inputFields(read.plan.inputs), [read.sha256])
  return <StartForm read={read} fields={fields} from={from} />
}
