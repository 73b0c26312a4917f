/** The versions of a plan, the one that was published last first; the chosen one is shown. */
import type { ReactElement } from 'react'
import { planDiffPath, planPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { When } from '../shown/when.tsx'
import { plural } from '../shown/words.ts'
import type { ReadPlan } from './use-plan.ts'

export interface VersionListProps {
  readonly read: ReadPlan
  readonly now: number
}

export function VersionList({ read: { planId, planVersion, versions }, now }: VersionListProps): ReactElement {
  return (
    <section aria-label="Versions">
      <h2>{plural(versions.length, 'version')}</h2>
      <ul className="version-list">
        {versions.map((one, at) => (
          <li key={one.planVersion}>
            <Link
              href={planPath(planId, one.planVersion)}
              aria-current={one.planVersion === planVersion ? 'true' : undefined}
            >
              {one.planVersion}
            </Link>
            {at === 0 ? <span className="quiet">newest</span> : null}
            <code title={one.sha256}>{one.sha256.slice(0, 12)}</code>
            {one.publishedAt === undefined ? null : (
              <span className="quiet">
                <When at={one.publishedAt} now={now} />
              </span>
            )}
            {one.planVersion === planVersion ? null : (
              <Link
                className="compare"
                href={planDiffPath(planId, one.planVersion, planVersion)}
                aria-label={`Compare ${one.planVersion} with ${planVersion}`}
              >
                compare
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
