/**
 * What `keelson init` writes: a plan that shows retries, a fan-out and compensation, and its functions. It needs
 * nothing else to run, and shows a failure on request.
 */

export interface Starter {
  /** Where an editor finds the schema of plans, relative to the plan. */
  readonly schema: string
  /** The package can be imported from here, and so can its types. */
  readonly hasPackage: boolean
  /** How the command is typed here: `npx keelson`, or `keelson` where it is on the PATH. */
  readonly command: string
}

export const planText = ({ schema, command }: Starter): string => `# yaml-language-server: $schema=${schema}
# An order: stock is reserved, the card charged, each item packed, the parcel shipped.
#   ${command} run plan.yaml                      the card's bank is busy twice; the step is tried again
#   ${command} run plan.yaml --set dock=full      shipping fails for good; what was done is undone
plan: order
version: 1.0.0

inputs:
  type: object
  properties:
    orderId: { type: string, default: A-17 }
    dock: { enum: [free, full], default: free }
    items:
      type: array
      items: { type: object, required: [sku, count] }
      default:
        - { sku: lamp, count: 2 }
        - { sku: desk, count: 1 }
        - { sku: plant, count: 3 }

steps:
  - id: reserve
    dependsOn: []
    run: stock.reserve
    with: { orderId: '\${input.orderId}' }
    compensate:
      run: stock.release
      with: { reservation: '\${steps.reserve.output.reservation}' }

  - id: charge
    dependsOn: [reserve]
    run: card.charge
    with: { orderId: '\${input.orderId}' }
    retry: { maxAttempts: 5, initialBackoffMs: 400 }
    compensate:
      run: card.refund
      with: { payment: '\${steps.charge.output.payment}' }

  - id: pack
    dependsOn: [charge]
    forEach: '\${input.items}'
    run: warehouse.pack
    with: { sku: '\${item.sku}', count: '\${item.count}' }
    compensate:
      run: warehouse.unpack
      with: { sku: '\${item.sku}' }

  - id: ship
    dependsOn: [pack]
    run: warehouse.ship
    with: { orderId: '\${input.orderId}', dock: '\${input.dock}' }

output: { tracking: '\${steps.ship.output.tracking}', payment: '\${steps.charge.output.payment}' }
`

const IMPORTED = `import type { StepContext } from 'keelson'`
const SPELT_OUT = `/** Part of what a function is given besides its input; \`import type { StepContext } from 'keelson'\` names all of it. */
interface StepContext {
  readonly attempt: number
  readonly idempotencyKey: string
  readonly signal: AbortSignal
}`

export const stepsText = ({ hasPackage }: Starter): string => `/**
 * The functions that plan.yaml calls. Each takes its input and returns its output, as JSON; what it throws fails the
 * attempt. Node runs this file as it is, there is nothing to compile.
 */
import { setTimeout as pause } from 'node:timers/promises'
${hasPackage ? IMPORTED : `\n${SPELT_OUT}`}

export const stock = {
  async reserve({ orderId }: { readonly orderId: string }) {
    await pause(200)
    return { reservation: \`R-\${orderId}\` }
  },
  async release({ reservation }: { readonly reservation: string }) {
    await pause(100)
    return { released: reservation }
  },
}

export const card = {
  /** The key is the same over retries and crashes: hand it to the bank, and it charges once. */
  async charge({ orderId }: { readonly orderId: string }, { attempt, idempotencyKey }: StepContext) {
    await pause(300)
    if (attempt < 3) throw Object.assign(new Error('the bank is busy'), { code: 'BANK_BUSY', statusCode: 503 })
    return { payment: \`P-\${orderId}\`, key: idempotencyKey }
  },
  async refund({ payment }: { readonly payment: string }) {
    await pause(100)
    return { refunded: payment }
  },
}

export const warehouse = {
  async pack({ sku, count }: { readonly sku: string; readonly count: number }) {
    await pause(150 * count)
    return { sku, boxes: count }
  },
  async unpack({ sku }: { readonly sku: string }) {
    await pause(50)
    return { unpacked: sku }
  },
  async ship({ orderId, dock }: { readonly orderId: string; readonly dock: 'free' | 'full' }) {
    await pause(200)
    if (dock === 'full') throw Object.assign(new Error('the dock is full'), { name: 'ConflictError', code: 'DOCK_FULL' })
    return { tracking: \`T-\${orderId}\` }
  },
}
`

export const IGNORED = '.keelson/'
