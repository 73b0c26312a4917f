/**
 * How the bytes of a plan come here from where a reference says that they lie. One transport for each scheme of a URI; it gives
 * the bytes as they are: nothing is unpacked or read before they were compared with their hash.
 */
export interface PlanRequest {
  readonly tenantId: string
  readonly uri: string
  /** Of what is larger, one byte more is enough: it is refused unread. */
  readonly maxBytes: number
}

export interface PlanTransport {
  /** In small letters and without the colon, such as `file`. */
  readonly scheme: string
  /** Undefined: nothing is there. A place that it may not read is refused (PLAN_URI_NOT_ALLOWED) before anything is read. */
  fetch(request: PlanRequest): Promise<Uint8Array | undefined>
}
