/** The engines of the server: whether each is ready, what is in flight on it, and what it can do. */
import type { ReactElement } from 'react'
import { RUNS } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { StateChip } from '../shown/state-mark.tsx'
import type { Look } from '../shown/states.ts'
import { plural } from '../shown/words.ts'
import type { Engine } from './use-engines.ts'

const READY: Look = { word: 'ready', shape: 'check', tone: 'good' }
const NOT_READY: Look = { word: 'not ready', shape: 'cross', tone: 'bad' }
const IN_FLIGHT = `${RUNS}?${new URLSearchParams({ q: 'status:running status:paused' }).toString()}`

export function EngineList({ engines }: { readonly engines: readonly Engine[] }): ReactElement {
  return (
    <section aria-label="Engines">
      <h2>Engines of this server</h2>
      <ul className="engines">
        {engines.map((engine) => (
          <li key={engine.engine}>
            <OneEngine engine={engine} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function OneEngine({
  engine: { engine, isStandard, drives, ready, why, ...rest },
}: {
  readonly engine: Engine
}): ReactElement {
  const { runsInFlight, maxInFlight, capabilities, limits } = rest
  return (
    <>
      <h3>{engine}</h3>
      <p>
        <StateChip look={ready ? READY : NOT_READY} />{' '}
        {why === undefined ? null : (
          <span className="hint">
            because of <code className="code">{why}</code>{' '}
          </span>
        )}
        <span className="quiet">
          {isStandard ? 'new runs go to it; ' : ''}
          {drives ? 'this process drives its runs' : 'other processes drive its runs'}
        </span>
      </p>
      <p>
        <Link href={IN_FLIGHT}>{plural(runsInFlight, 'run')} in flight</Link>
        <span className="quiet">, at most {plural(maxInFlight, 'step')} of one run at once</span>
      </p>
      <details>
        <summary>{capabilities.length} of the capabilities that a plan can require</summary>
        <ul className="capabilities">
          {capabilities.map((capability) => (
            <li key={capability}>
              <code>{capability}</code>
            </li>
          ))}
        </ul>
        {limits === undefined ? null : (
          <dl className="limits">
            {Object.entries(limits).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd className="number">{value.toLocaleString('en')}</dd>
              </div>
            ))}
          </dl>
        )}
      </details>
    </>
  )
}
