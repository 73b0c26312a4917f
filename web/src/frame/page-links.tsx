/** The pages one can go to from everywhere: those of every day in the bar, those for operators behind one button. */
import type { ReactElement } from 'react'
import type { PageName } from '../../../src/core/api/page.ts'
import { pathOf } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { LinkMenu, type PageLink } from './link-menu.tsx'

const LINKS: readonly PageLink[] = [
  { page: 'runs', words: 'Runs' },
  { page: 'tasks', words: 'Tasks' },
  { page: 'plans', words: 'Plans' },
]

const OPERATE: readonly PageLink[] = [
  { page: 'queue', words: 'Queue' },
  { page: 'pools', words: 'Pools and limits' },
  { page: 'engines', words: 'Engines' },
  { page: 'alerts', words: 'Alerts' },
  { page: 'feed', words: 'Feed', under: ['subscriber'] },
  { page: 'audit', words: 'Audit' },
  { page: 'schedules', words: 'Schedules', under: ['schedule'] },
  { page: 'triggers', words: 'Triggers', under: ['trigger'] },
  { page: 'apiKeys', words: 'Keys' },
  { page: 'bundle', words: 'Bundle from a file' },
]

export function PageLinks({ here }: { readonly here: PageName | undefined }): ReactElement {
  return (
    <>
      {LINKS.map(({ page, words }) => (
        <Link key={page} href={pathOf(page)} aria-current={here === page ? 'page' : undefined}>
          {words}
        </Link>
      ))}
      <LinkMenu words="Operate" links={OPERATE} here={here} />
    </>
  )
}
