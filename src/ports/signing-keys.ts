/** Keys for manual-task tokens: the newest signs, older ones verify until their tasks close (P-35). */
export interface SigningKey {
  readonly keyId: string
  /** 32 bytes. */
  readonly secret: Uint8Array
}

export interface SigningKeys {
  /** The key for new tokens. */
  current(): Promise<SigningKey>
  find(keyId: string): Promise<SigningKey | undefined>
}
