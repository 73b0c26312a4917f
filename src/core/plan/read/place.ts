/** Where something stands in a document. */

/** A path in the document as a list from its end; the root is `undefined`. */
export interface Place {
  readonly parent: Place | undefined
  readonly key: string | number
}
