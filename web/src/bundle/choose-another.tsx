/** Lets go of the open bundle. */
import type { ReactElement } from 'react'
import { bundleFile } from './bundle-file.ts'

export function ChooseAnother(): ReactElement {
  return (
    <button type="button" className="small" onClick={() => bundleFile.set(undefined)}>
      another file
    </button>
  )
}
