/**
 * Receipts anchor heads of logs outside the store: who signs them, and where their lines are stored. A line is on disk
 * when `append` resolves; lines are only added.
 */
export interface ReceiptKey {
  /** The first 16 hex digits of SHA-256(public key). */
  readonly keyId: string
  /** The 32 bytes of an Ed25519 public key, in hex. */
  readonly publicKey: string
}

export interface ReceiptSigner extends ReceiptKey {
  /** Ed25519 over the UTF-8 bytes, in hex. */
  sign(text: string): Promise<string>
}

export interface ReceiptKeys {
  /** The newest key; made when there is none. */
  current(): Promise<ReceiptSigner>
  /** Public parts of all existing keys; none before the first was made. */
  known(): Promise<readonly ReceiptKey[]>
}

export interface ReceiptLines {
  /** `month` is such as 2026-11; the line carries no newline. */
  append(month: string, line: string): Promise<void>
  /** Every line, oldest first. A line that a crash tore is returned as it is. */
  read(): AsyncIterable<string>
  /** Statements about published plans: lines of their own, in the order of issue. */
  appendPublished(line: string): Promise<void>
  readPublished(): AsyncIterable<string>
}

export interface ReceiptBook {
  readonly keys: ReceiptKeys
  readonly lines: ReceiptLines
}
