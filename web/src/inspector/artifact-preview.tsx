/**
 * A look at the bytes of an artifact. A picture is decoded to its points and painted: no address of it ever exists that a document could
 * be loaded from. Everything else is text, or is not shown.
 */
import { useEffect, useRef, useState, type ReactElement } from 'react'
import { pictureType, textOf } from './artifact-kind.ts'

const SHOWN_CHARS = 20_000
const WIDEST = 640

export interface ArtifactPreviewProps {
  readonly bytes: Uint8Array
  readonly name: string
}

export function ArtifactPreview({ bytes, name }: ArtifactPreviewProps): ReactElement {
  const type = pictureType(bytes)
  if (type !== undefined) return <Picture bytes={bytes} type={type} name={name} />
  const text = textOf(bytes)
  if (text === undefined)
    return <p className="quiet">It is neither a text nor a picture that is shown here. Download it.</p>
  return (
    <pre className="artifact-text" role="region" aria-label={`Text of ${name}`} tabIndex={0}>
      {text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}\n… ${text.length} characters in all`}
    </pre>
  )
}

function Picture({ bytes, type, name }: ArtifactPreviewProps & { readonly type: string }): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [told, setTold] = useState('')
  useEffect(() => {
    const isGone = new AbortController()
    // A copy: its memory may be shared, and that of a blob may not.
    void painted(new Blob([new Uint8Array(bytes)], { type }), () =>
      isGone.signal.aborted ? null : canvas.current,
    ).then(setTold)
    return () => isGone.abort()
  }, [bytes, type])
  return (
    <figure className="artifact-picture">
      <canvas ref={canvas} width={1} height={1} role="img" aria-label={`Picture ${name}`} />
      <figcaption className="quiet">{told}</figcaption>
    </figure>
  )
}

/** Paints it, no wider than the place has room, and tells its size. */
async function painted(file: Blob, placeOf: () => HTMLCanvasElement | null): Promise<string> {
  try {
    const picture = await createImageBitmap(file)
    const { width, height } = picture
    const place = placeOf()
    const scale = Math.min(1, WIDEST / width)
    if (place !== null) {
      place.width = Math.max(1, Math.round(width * scale))
      place.height = Math.max(1, Math.round(height * scale))
      place.getContext('2d')?.drawImage(picture, 0, 0, place.width, place.height)
    }
    picture.close()
    return `${file.type}, ${width} × ${height}`
  } catch {
    return 'It begins like a picture and is none.'
  }
}
