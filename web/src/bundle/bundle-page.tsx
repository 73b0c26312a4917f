/** A run from a file that `keelson export` wrote, shown as any other run. It is read and proved here, and no server is asked for it. */
import { useEffect, useState, type ReactElement } from 'react'
import { OpenedRun } from '../run/run-page.tsx'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { bundleFile } from './bundle-file.ts'
import { ChooseBundle } from './choose-bundle.tsx'
import { openBundle, type OpenedBundle } from './open-bundle.ts'
import { BundleNote, BundleRefused } from './bundle-note.tsx'

interface Shown {
  readonly file: File
  readonly lines: number
  readonly opened?: OpenedBundle
  readonly error?: unknown
}

export function BundlePage(): ReactElement {
  const file = useWatched(bundleFile)
  const shown = useBundle(file)
  if (file === undefined || shown === undefined) return <ChooseBundle />
  const { opened, error, lines } = shown
  if (opened?.run !== undefined)
    return (
      <OpenedRun
        key={`${file.name} ${file.lastModified}`}
        run={opened.run}
        lastSeq={opened.proof.verifiedTo}
        note={<BundleNote fileName={file.name} proof={opened.proof} />}
      />
    )
  return (
    <ChooseBundle>
      {opened === undefined ? null : <BundleRefused fileName={file.name} proof={opened.proof} />}
      {error === undefined ? null : <Trouble error={error} />}
      {opened === undefined && error === undefined ? (
        <p className="quiet" role="status">
          Reading {file.name}: {lines.toLocaleString('en')} lines so far …
        </p>
      ) : null}
    </ChooseBundle>
  )
}

function useBundle(file: File | undefined): Shown | undefined {
  const [shown, setShown] = useState<Shown>()
  useEffect(() => {
    if (file === undefined) return undefined
    const leaving = new AbortController()
    setShown({ file, lines: 0 })
    openBundle(file, (lines) => setShown({ file, lines }), leaving.signal).then(
      (opened) => setShown({ file, lines: opened.proof.lines, opened }),
      (error: unknown) => {
        if (!leaving.signal.aborted) setShown({ file, lines: 0, error })
      },
    )
    return () => leaving.abort()
  }, [file])
  return shown?.file === file ? shown : undefined
}
