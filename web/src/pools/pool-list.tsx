/** The pools of one kind: how full each is, and which runs of the tenant hold units or stand in line. */
import type { ReactElement } from 'react'
import { RUN_SLOT } from '../../../src/core/events/slot.ts'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { StateMark } from '../shown/state-mark.tsx'
import type { Look } from '../shown/states.ts'
import { When } from '../shown/when.tsx'
import { plural, shortId } from '../shown/words.ts'
import { PoolBar } from './pool-bar.tsx'
import { inUse, isAtRest, KIND_WORDS, poolName, type Pool, type PoolKind } from './pool-names.ts'

export interface PoolListProps {
  readonly kind: PoolKind
  readonly pools: readonly Pool[]
  readonly now: number
}

export function PoolList({ kind, pools, now }: PoolListProps): ReactElement | null {
  if (pools.length === 0) return null
  const [title, about] = KIND_WORDS[kind]
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <p className="quiet">{about}</p>
      <ul className="pools">
        {pools.map((pool) => (
          <li key={pool.pool}>
            <OnePool pool={pool} now={now} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function OnePool({ pool, now }: { readonly pool: Pool; readonly now: number }): ReactElement {
  const { openUntil, windowMs, holders, waiters, used, waiting } = pool
  if (isAtRest(pool))
    return (
      <>
        <h3 title={pool.pool}>{poolName(pool)}</h3>
        <p>
          <StateMark look={CLOSED} /> {CLOSED.word}
        </p>
      </>
    )
  return (
    <>
      <h3 title={pool.pool}>{poolName(pool)}</h3>
      <p>
        <PoolBar pool={pool} /> <span className="number">{inUse(pool)}</span>
        {openUntil === undefined ? null : (
          <span className="hint">
            {' '}
            it failed too often: nothing is let through, one attempt <When at={openUntil} now={now} />
          </span>
        )}
      </p>
      <Users
        title={windowMs === undefined ? 'have it' : 'took it'}
        users={holders}
        all={windowMs === undefined ? used : holders.length}
        now={now}
      />
      <Users title="wait" users={waiters} all={waiting} now={now} isOrdered />
    </>
  )
}

const CLOSED: Look = { word: 'closed: attempts are let through', shape: 'check', tone: 'good' }

type User = Pool['holders'][number]

interface UsersProps {
  readonly title: string
  readonly users: readonly User[]
  /** Units or slots in all, also those of other tenants. */
  readonly all: number
  readonly now: number
  readonly isOrdered?: boolean
}

const FIRST = 10

function Users({ title, users, all, now, isOrdered = false }: UsersProps): ReactElement | null {
  if (users.length === 0 && all === 0) return null
  const rest = all - users.reduce((sum, { amount }) => sum + (isOrdered ? 1 : amount), 0)
  const first = users.slice(0, FIRST)
  return (
    <div className="users">
      <span className="quiet">{title}</span>
      <UserItems users={first} now={now} isOrdered={isOrdered} />
      {users.length > FIRST ? (
        <details>
          <summary>{users.length - FIRST} more</summary>
          <UserItems users={users.slice(FIRST)} now={now} isOrdered={isOrdered} start={FIRST + 1} />
        </details>
      ) : null}
      {rest > 0 ? (
        <p className="quiet">and {plural(rest, isOrdered ? 'slot' : 'unit')} of others, or beyond what is listed</p>
      ) : null}
    </div>
  )
}

interface UserItemsProps {
  readonly users: readonly User[]
  readonly now: number
  readonly isOrdered: boolean
  readonly start?: number
}

function UserItems({ users, now, isOrdered, start = 1 }: UserItemsProps): ReactElement {
  const items = users.map(({ executionId, slot, amount, since }, at) => (
    <li key={`${executionId} ${slot} ${at}`}>
      <Link
        href={
          slot === RUN_SLOT
            ? runPath(executionId)
            : `${runPath(executionId)}?${new URLSearchParams({ step: slot }).toString()}`
        }
      >
        {slot === RUN_SLOT ? 'run' : slot} <code title={executionId}>{shortId(executionId)}</code>
      </Link>{' '}
      <span className="quiet">
        {amount === 1 ? '' : `${amount} units, `}
        {since === undefined ? null : (
          <>
            since <When at={since} now={now} />
          </>
        )}
      </span>
    </li>
  ))
  return isOrdered ? <ol start={start}>{items}</ol> : <ul>{items}</ul>
}
