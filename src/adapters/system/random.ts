/** The machine's randomness. Small pieces are cut from a block: a system call for each would cost more than its use. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Random } from '../../ports/random.ts'

const BLOCK_BYTES = 8_192
const SMALL_BYTES = 256

/** Every byte of a block is returned once, as a copy, and is cleared in the block. */
function bytesFromBlocks(): Random['bytes'] {
  let block: Uint8Array = new Uint8Array(0)
  let taken = 0
  return (length) => {
    if (length > SMALL_BYTES) return randomBytes(length)
    if (taken + length > block.length) {
      block = randomBytes(BLOCK_BYTES)
      taken = 0
    }
    const piece = new Uint8Array(block.subarray(taken, taken + length))
    block.fill(0, taken, (taken += length))
    return piece
  }
}

export const systemRandom: Random = { uuid: () => randomUUID(), bytes: bytesFromBlocks() }
