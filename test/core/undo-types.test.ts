/** What undoes a step or stands in for it is checked by the compiler: its name, its input, and the output of the step it undoes. */
import { describe, expect, it } from 'vitest'
import { typeCheck } from '../fixtures/type-check.ts'

const PRELUDE = `
import { definePlan, ofType } from 'keelson/plan'

const steps = {
  stock: {
    reserve: (input: { readonly orderId: string }) => ({ id: input.orderId, boxes: 2 }),
    release: (input: { readonly id: string }) => null,
  },
  undo: (of: { readonly input: { readonly orderId: string }; readonly output: { readonly id: string } }) => null,
  pack: (input: { readonly sku: string }) => input.sku.length,
  ping: () => 'pong',
}
interface Order { readonly orderId: string; readonly items: readonly { readonly sku: string }[] }
const head = { plan: 'order', version: '1.0.0', input: ofType<Order>(), steps }
`
const plan = (options: string): string =>
  `definePlan(head, ({ input, step }) => ({ steps: [step('a', { run: 'stock.reserve', with: { orderId: input.orderId }, ${options} })] }))`

const ACCEPTED: Readonly<Record<string, string>> = {
  'a function that takes the input and output of the step, without more': plan(`compensate: { run: 'undo' }`),
  'a function with its own input': plan(`compensate: { run: 'stock.release', with: { id: 'x' } }`),
  'what is made of the output of the step itself': plan(
    `compensate: ({ input: given, output }) => ({ run: 'stock.release', with: { id: output.id }, retry: { maxAttempts: 'unlimited', maxBackoff: '1h' } })`,
  ),
  'a request that undoes it': plan(`compensate: { http: { url: 'https://x.example' }, timeout: '30s' }`),
  'a function that needs nothing': plan(`compensate: { run: 'ping' }, fallback: { run: 'ping' }`),
  'a fallback with the input of its function': plan(`fallback: { run: 'pack', with: { sku: input.orderId } }`),
  'times as text': `definePlan({ ...head, policy: { timeout: '1m', runTimeout: '2h' } }, ({ step }) => ({ steps: [step('a', { run: 'ping', timeout: '500ms' }), step('b', { wait: { for: '7d' } })] }))`,
  'a list with a limit of its own': `definePlan(head, ({ input, step }) => ({ steps: [step.forEach('c', { in: input.items, concurrency: 2 }, (item) => ({ run: 'pack', with: { sku: item.sku } }))] }))`,
}

const REFUSED: Readonly<Record<string, { readonly code: string; readonly says: RegExp }>> = {
  'a compensation by a function that is not there': {
    code: plan(`compensate: { run: 'stock.relaese', with: { id: 'x' } }`),
    says: /stock\.relaese/,
  },
  'a fallback by a function that is not there': { code: plan(`fallback: { run: 'pakc' }`), says: /pakc/ },
  'a compensation without the input that its function needs': {
    code: plan(`compensate: { run: 'stock.release' }`),
    says: /with|stock\.release/,
  },
  'a compensation with another input than its function takes': {
    code: plan(`compensate: { run: 'stock.release', with: { id: 7 } }`),
    says: /number/,
  },
  'an output that the step itself does not have': {
    code: plan(`compensate: ({ output }) => ({ run: 'stock.release', with: { id: output.reservation } })`),
    says: /reservation/,
  },
  'an output of the step itself of another type': {
    code: plan(`compensate: ({ output }) => ({ run: 'stock.release', with: { id: output.boxes } })`),
    says: /number/,
  },
  'a fallback without the input that its function needs': {
    code: plan(`fallback: { run: 'pack' }`),
    says: /with|pack/,
  },
  'a time without its unit': { code: plan(`timeout: '30'`), says: /30/ },
}

const path = (kind: string, index: number): string => `test/core/${kind}-undo-${index}.ts`
const pieces = {
  ...Object.fromEntries(Object.values(ACCEPTED).map((code, index) => [path('accepted', index), PRELUDE + code])),
  ...Object.fromEntries(Object.values(REFUSED).map(({ code }, index) => [path('refused', index), PRELUDE + code])),
}
const complaints = typeCheck(pieces)

describe('the compiler accepts', () => {
  it.each(Object.keys(ACCEPTED).map((title, index) => ({ title, index })))('$title', ({ index }) => {
    expect(complaints[path('accepted', index)] ?? []).toEqual([])
  })
})

describe('the compiler refuses', () => {
  it.each(Object.entries(REFUSED).map(([title, { says }], index) => ({ title, index, says })))(
    '$title',
    ({ index, says }) => {
      const told = complaints[path('refused', index)] ?? []
      expect(told.length).toBeGreaterThan(0)
      expect(told.join('\n')).toMatch(says)
    },
  )
})
