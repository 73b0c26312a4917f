/** Randomness as the product sees it, so that a simulated world can give it a seed. */
export interface Random {
  /** A UUID v4. */
  uuid(): string
  bytes(length: number): Uint8Array
}
