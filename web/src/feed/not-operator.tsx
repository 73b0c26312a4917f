/** What those are told who may not see the feed: why, and how one gets the role. */
import type { ReactElement } from 'react'
import { me } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'

export function NotOperator({ whyNot }: { readonly whyNot: string }): ReactElement {
  const tenantId = useWatched(me)?.tenantId ?? ''
  return (
    <div className="empty">
      <p className="hint">The feed spans tenants, so it is for whoever operates the server. {whyNot}</p>
      <p>No administrator of a tenant can give that role. On the machine of the server:</p>
      <pre>keelson keys create --tenant {tenantId} --actor ops --role server-operator</pre>
    </div>
  )
}
