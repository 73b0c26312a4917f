/** Stock, card and dock: each effect with what undoes it. A key makes a repeated call harmless on the other side. */
import { setTimeout as pause } from 'node:timers/promises'
import type { StepContext } from 'keelson'

export const stock = {
  async reserve(input: { readonly orderId: string }, { idempotencyKey }: StepContext) {
    await pause(150)
    return { reservation: `R-${input.orderId}`, key: idempotencyKey }
  },
  async release(input: { readonly reservation: string }) {
    await pause(100)
    return { released: input.reservation }
  },
}

export const card = {
  async charge(input: { readonly orderId: string; readonly amount: number }) {
    await pause(200)
    return { payment: `P-${input.orderId}`, amount: input.amount }
  },
  async refund({ output }: { readonly output: { readonly payment: string } }) {
    await pause(100)
    return { refunded: output.payment }
  },
}

export const dock = {
  async ship(input: { readonly reservation: string; readonly dockFull: boolean }) {
    await pause(150)
    if (input.dockFull) {
      throw Object.assign(new Error('dock 3 is full'), { name: 'ConflictError', code: 'WAREHOUSE_FULL' })
    }
    return { tracking: `T-${input.reservation}` }
  },
}
