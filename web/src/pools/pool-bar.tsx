/** How full a pool is, by shape and colour: filled squares are units in use, empty ones are free, and diamonds behind the line wait. */
import type { ReactElement } from 'react'
import { inUse, isEndless, type Pool } from './pool-names.ts'

const MOST_SQUARES = 20
const MOST_WAITING = 8
const STEP = 14
const SIZE = 10
const HEIGHT = 16
const WIDE = MOST_SQUARES * STEP

export function PoolBar({ pool }: { readonly pool: Pool }): ReactElement {
  const { capacity, used, waiting, openUntil } = pool
  const isFull = used >= capacity
  const tone = openUntil !== undefined ? 'bad' : waiting > 0 || isFull ? 'held' : used > 0 ? 'busy' : 'idle'
  const squares = Math.min(isEndless(pool) ? used : capacity, MOST_SQUARES + 1)
  const isCounted = squares <= MOST_SQUARES
  const body = isCounted ? squares * STEP : WIDE
  const waiters = Math.min(waiting, MOST_WAITING)
  const width = body + (waiters === 0 ? 2 : 10 + waiters * STEP)
  return (
    <svg
      className={`pool-bar tone-${tone}`}
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="img"
      aria-label={`${openUntil === undefined ? '' : 'open: '}${inUse(pool)}`}
    >
      {isCounted ? <Squares count={squares} used={used} /> : <Share used={used} capacity={capacity} />}
      {openUntil === undefined ? null : <path className="crossed" d={`M1 ${HEIGHT - 2}L${Math.max(13, body - 3)} 2`} />}
      {waiters === 0 ? null : <path className="line" d={`M${body + 2} 1v14`} />}
      {Array.from({ length: waiters }, (_, at) => (
        <path key={at} className="waiter" d={`M${body + 13 + at * STEP} 3l5 5l-5 5l-5 -5z`} />
      ))}
    </svg>
  )
}

function Squares({ count, used }: { readonly count: number; readonly used: number }): ReactElement {
  return (
    <>
      {Array.from({ length: count }, (_, at) => (
        <rect
          key={at}
          className={at < used ? 'unit taken' : 'unit'}
          x={at * STEP + 1}
          y={3}
          width={SIZE}
          height={SIZE}
          rx={2}
        />
      ))}
    </>
  )
}

/** Of a large pool. */
function Share({ used, capacity }: { readonly used: number; readonly capacity: number }): ReactElement {
  const share = Math.min(1, used / capacity)
  return (
    <>
      <rect className="unit" x={1} y={3} width={WIDE - 4} height={SIZE} rx={2} />
      {share === 0 ? null : (
        <rect className="unit taken" x={1} y={3} width={Math.max(2, (WIDE - 4) * share)} height={SIZE} rx={2} />
      )}
    </>
  )
}
