/** A link inside the page: it changes the address without loading anything, and stays a real link for new tabs and copies. */
import type { ComponentProps, MouseEvent, ReactElement } from 'react'
import { goTo } from './address.ts'

export function Link({ href, ...rest }: ComponentProps<'a'> & { readonly href: string }): ReactElement {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    goTo(href)
  }
  return <a {...rest} href={href} onClick={follow} />
}
