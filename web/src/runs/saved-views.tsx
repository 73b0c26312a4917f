/** The saved views of the list as a row of links, and what can be done with the one that is open. */
import { useEffect, useRef, useState, type ReactElement } from 'react'
import { RUNS, setQuery, useAddress, viewPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { me, session } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { ActButton } from '../shown/act-button.tsx'
import { SureDialog } from '../shown/sure-dialog.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { SaveView } from './save-view.tsx'
import { useViews, type SavedView } from './use-views.ts'
import '../styles/views.css'

export interface SavedViewsProps {
  /** The filter as it stands. */
  readonly text: string
  /** All of it is understood. */
  readonly isRead: boolean
}

export function SavedViews({ text, isRead }: SavedViewsProps): ReactElement {
  const { views, error, again } = useViews()
  const viewId = useAddress().query.get('view') ?? undefined
  const open = views?.find((one) => one.viewId === viewId)
  useFilterOf(open, text)
  return (
    <div className="saved-views">
      <nav aria-label="Saved views">
        <ul>
          <li>
            <Link href={RUNS} aria-current={viewId === undefined && text === '' ? 'page' : undefined}>
              All runs
            </Link>
          </li>
          {views?.map((view) => (
            <li key={view.viewId}>
              <Link
                href={viewPath(view.viewId, view.filter)}
                aria-current={view === open ? 'page' : undefined}
                title={view.filter === '' ? 'all runs' : view.filter}
              >
                {view.name}
              </Link>
              {view.for === 'tenant' ? <span className="quiet"> shared</span> : null}
              {view === open && view.filter !== text ? <span className="quiet"> changed</span> : null}
            </li>
          ))}
        </ul>
      </nav>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {viewId !== undefined && views !== undefined && open === undefined ? (
        <p className="hint">The view of this link is not there, or is not shared with you. Its filter still holds.</p>
      ) : null}
      <ViewActs key={viewId} open={open} text={text} isRead={isRead} onChanged={again} />
    </div>
  )
}

/** A link that names a view without its filter gets it when the views have come; only then, so that it can be changed. */
function useFilterOf(open: SavedView | undefined, text: string): void {
  const given = useRef<string>(undefined)
  useEffect(() => {
    if (open === undefined || given.current === open.viewId) return
    given.current = open.viewId
    if (text === '') setQuery({ q: open.filter })
  }, [open, text])
}

interface ViewActsProps extends SavedViewsProps {
  readonly open: SavedView | undefined
  readonly onChanged: () => void
}

function ViewActs({ open, text, isRead, onChanged }: ViewActsProps): ReactElement {
  const who = useWatched(me)
  const [asks, setAsks] = useState<'save' | 'change' | 'remove'>()
  const isOwn = open !== undefined && open.ownerId === who?.actorId
  const close = (): void => setAsks(undefined)
  const remove = async (): Promise<void> => {
    if (open === undefined) return
    const call = isOwn ? 'removeView' : 'removeSharedView'
    await session.get().client.call(call, { params: { viewId: open.viewId } })
    setQuery({ view: undefined })
    onChanged()
  }
  return (
    <div className="view-acts" role="group" aria-label="Saving views">
      {isOwn ? (
        <button type="button" className="small" disabled={!isRead} onClick={() => setAsks('change')}>
          Change view
        </button>
      ) : null}
      <button
        type="button"
        className="small"
        disabled={!isRead || text.trim() === ''}
        title={isRead ? 'Keeps this filter under a name' : 'A part of the filter is not understood.'}
        onClick={() => setAsks('save')}
      >
        Save as view
      </button>
      {open === undefined ? null : isOwn ? (
        <button type="button" className="small" onClick={() => setAsks('remove')}>
          Remove view
        </button>
      ) : (
        <ActButton words="Remove view" needs="RBAC_ROLE_ASSIGN" onClick={() => setAsks('remove')} />
      )}
      {asks === 'save' ? <SaveView filter={text} onSaved={onChanged} onClose={close} /> : null}
      {asks === 'change' ? <SaveView view={open} filter={text} onSaved={onChanged} onClose={close} /> : null}
      {asks === 'remove' && open !== undefined ? (
        <SureDialog title={`Remove the view ${open.name}?`} act="Remove" onAct={remove} onClose={close}>
          <p>
            {open.for === 'tenant'
              ? `Nobody of the tenant sees it any more. It was saved by ${open.ownerId}.`
              : 'Only you see it.'}{' '}
            Links to it still hold its filter.
          </p>
        </SureDialog>
      ) : null}
    </div>
  )
}
