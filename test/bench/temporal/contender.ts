/** What takes part in the comparison: the same steps, in a chain or all at once, on the same Temporal server. */
export type Shape = 'chain' | 'fan'

export interface Contender {
  readonly name: string
  /** Wall time from the start to the result, and whose history tells what it cost. */
  run(shape: Shape, count: number): Promise<{ readonly ms: number; readonly workflowId: string }>
  close(): Promise<void>
}
