/** The pages one can go to from everywhere. */
import type { ReactElement } from 'react'
import type { PageName } from '../../../src/core/api/page.ts'
import { pathOf } from '../address/address.ts'
import { Link } from '../address/link.tsx'

const LINKS: readonly (readonly [page: PageName, words: string])[] = [
  ['runs', 'Runs'],
  ['tasks', 'Tasks'],
  ['plans', 'Plans'],
]

export function PageLinks({ here }: { readonly here: PageName | undefined }): ReactElement {
  return (
    <>
      {LINKS.map(([page, words]) => (
        <Link key={page} href={pathOf(page)} aria-current={here === page ? 'page' : undefined}>
          {words}
        </Link>
      ))}
    </>
  )
}
