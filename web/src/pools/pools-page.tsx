/** What runs share and what limits them: limits for starts, pauses of whole plans, and pools with those that hold and wait. */
import type { ReactElement } from 'react'
import { pathOf } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { useWhyNot } from '../server/may.ts'
import { useAsked } from '../server/use-asked.ts'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { LimitsSection } from './limits-section.tsx'
import { PausesSection } from './pauses-section.tsx'
import { PoolList } from './pool-list.tsx'
import { isEndless, POOL_KINDS, poolKind, poolName, type Pool } from './pool-names.ts'
import '../styles/operate.css'
import '../styles/queue.css'

export function PoolsPage(): ReactElement {
  const mayNotSeeLimits = useWhyNot('TENANT_READ')
  const { value, error, again } = useAsked(`pools ${mayNotSeeLimits ?? ''}`, async (client, signal) => {
    const [{ resources }, { pauses }, { limits }] = await Promise.all([
      client.call('listResources', { signal }),
      client.call('listPauses', { signal }),
      mayNotSeeLimits === undefined ? client.call('listLimits', { signal }) : { limits: [] },
    ])
    return { resources, pauses, limits }
  })
  const now = useClock(true)
  return (
    <main className="operate pools-page">
      <header>
        <h1>Pools and limits</h1>
        <p className="quiet">
          What runs share. Runs that wait to start are in the <Link href={pathOf('queue')}>queue</Link>.
        </p>
      </header>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {value === undefined ? (
        error === undefined ? (
          <div className="shapes" role="status" aria-label="Asking what is shared …">
            <span className="shape-line" />
            <span className="shape-line" />
          </div>
        ) : null
      ) : (
        <>
          {mayNotSeeLimits === undefined ? (
            <LimitsSection limits={value.limits} now={now} again={again} />
          ) : (
            <p className="hint">The limits for starts are not for you to see. {mayNotSeeLimits}</p>
          )}
          <PausesSection pauses={value.pauses} now={now} again={again} />
          <Pools pools={value.resources} now={now} />
        </>
      )}
    </main>
  )
}

function Pools({ pools, now }: { readonly pools: readonly Pool[]; readonly now: number }): ReactElement {
  const shown = pools
    .filter((pool) => poolKind(pool) !== 'limit' || !isEndless(pool) || pool.waiting > 0)
    .toSorted((a, b) => (poolName(a) < poolName(b) ? -1 : 1))
  if (shown.length === 0)
    return (
      <section className="empty" aria-label="Pools">
        <h2>Pools</h2>
        <p>No step shares anything yet. Units are declared for the whole deployment, and steps ask for them:</p>
        <pre>{'keelson resources set gpu --capacity 2\n- { id: train, run: train, resources: { gpu: 1 } }'}</pre>
      </section>
    )
  return (
    <>
      {POOL_KINDS.map((kind) => (
        <PoolList key={kind} kind={kind} pools={shown.filter((pool) => poolKind(pool) === kind)} now={now} />
      ))}
    </>
  )
}
