/** Gives a text to the browser as a file: the server writes none. */
import type { ReactElement } from 'react'

export function DownloadButton({ text, name }: { readonly text: string; readonly name: string }): ReactElement {
  const download = (): void => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }))
    link.download = name
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <button type="button" className="small" onClick={download}>
      Download
    </button>
  )
}
