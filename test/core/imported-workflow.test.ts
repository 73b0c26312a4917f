/** Imported workflows that run: tiers that wait for people, and the invoice that is written and reversed. */
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { describe, expect, it } from 'vitest'
import { validateJson } from '../../src/app/schemas/json-schema.ts'
import { completeTask, listTasks } from '../../src/app/steer/manual-tasks.ts'
import { parseCapabilityMatrix } from '../../src/core/plan/import/capability-matrix.ts'
import { importWorkflow } from '../../src/core/plan/import/import-workflow.ts'
import { planYaml } from '../../src/core/plan/write/plan-yaml.ts'
import { parseWorkflow } from '../../src/core/plan/import/workflow-v1.ts'
import { evidenceOf } from '../../src/core/view/show/evidence.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import { importPlan, openKeelson } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { World, type Call, type Process, type Script } from '../fixtures/virtual-world.ts'

const REVERSAL = {
  type: 'object',
  properties: {
    invoiceId: { type: 'string' },
    reason: { type: 'string' },
    reversalDateIso: { type: 'string' },
    idempotencyKey: { type: 'string' },
  },
  required: ['invoiceId', 'reason'],
  additionalProperties: false,
}

const financeOf = (compensationInputSchema: object): string =>
  JSON.stringify({
    portFamily: 'FinanceAccounting',
    capabilities: [
      {
        capability: 'invoice:write',
        supported: true,
        safety: { supportsCompensation: true },
        compensationOperation: 'invoice:reverse',
        compensationInputSchema,
      },
    ],
  })
const FINANCE = financeOf(REVERSAL)

function planOf(actions: readonly Readonly<Record<string, unknown>>[], matrix?: string): string {
  const head = {
    schemaVersion: 1,
    workflowId: 'billing',
    workspaceId: 'acme',
    name: 'Billing',
    version: 1,
    active: true,
  }
  const numbered = actions.map((action, index) => ({ order: index + 1, ...action }))
  const workflow = parseWorkflow(JSON.stringify({ ...head, executionTier: 'Auto', actions: numbered }))
  const matrices = matrix === undefined ? [] : [parseCapabilityMatrix(matrix)]
  if (!workflow.ok) throw new Error('the workflow is refused')
  const document = importWorkflow(
    workflow.value,
    matrices.flatMap((read) => (read.ok ? [read.value] : [])),
  )
  if (!document.ok) throw new Error('the workflow is not imported')
  return planYaml(document.value)
}

const WRITE = { actionId: 'write', portFamily: 'FinanceAccounting', operation: 'invoice:write' }
const SEND = { actionId: 'send', portFamily: 'CommsCollaboration', operation: 'mail:send' }

/** A ledger as a finance system keeps it: nothing is taken out, a reversal is an entry of its own, a key counts once. */
class Ledger {
  readonly entries = new Map<string, { readonly kind: 'invoice' | 'reversal'; readonly invoiceId: string }>()
  /** How often the answer to a reversal is lost after it was made. */
  lostAnswers = 0

  readonly write = ({ context }: Call): unknown => {
    this.entries.set(context.idempotencyKey, { kind: 'invoice', invoiceId: 'inv-7' })
    return { invoiceId: 'inv-7' }
  }

  readonly reverse = ({ input, context }: Call): unknown => {
    const { idempotencyKey } = context
    const { invoiceId } = input as { readonly invoiceId: string }
    this.entries.set(idempotencyKey, { kind: 'reversal', invoiceId })
    this.lostAnswers -= 1
    if (this.lostAnswers >= 0) throw new Error('connection reset')
    return null
  }
}

async function failedBilling(ledger: Ledger, write = ledger.write, matrix = FINANCE) {
  const world = new World()
  const send = (): never => {
    throw Object.assign(new Error('the address is unknown'), { name: 'ConflictError' })
  }
  const script: Script = { 'invoice.write': write, 'invoice.reverse': ledger.reverse, 'mail.send': send }
  const key = await world.process('p', { script }).start(planOf([WRITE, SEND], matrix))
  await world.runUntil(() => world.hasEnded(key))
  return { world, key, runId: world.row(key).runId }
}

describe('the invoice example', () => {
  it('reverses what was written when a later action fails, with the input its schema asks for and the compensation’s key [CMP-10, CMP-02]', async () => {
    const ledger = new Ledger()
    const { world, key, runId } = await failedBilling(ledger)
    expect(world.row(key).status).toBe('FAILED')
    const [reversal, ...more] = world.calls.filter(({ name }) => name === 'invoice.reverse')
    expect(more).toEqual([])
    expect(reversal?.input).toEqual({ invoiceId: 'inv-7', reason: `Run ${runId} failed after write.` })
    expect(reversal?.context.idempotencyKey).toBe(`${runId}:write:compensate`)
    const sent = { ...(reversal?.input as object), idempotencyKey: reversal?.context.idempotencyKey }
    expect(validateJson(REVERSAL, sent, 'INPUT_INVALID').ok).toBe(true)
    expect([...ledger.entries.values()]).toEqual([
      { kind: 'invoice', invoiceId: 'inv-7' },
      { kind: 'reversal', invoiceId: 'inv-7' },
    ])
  })

  it('keeps the evidence of the original write beside the reversal, which counts once however often it is tried [CMP-10]', async () => {
    const ledger = new Ledger()
    ledger.lostAnswers = 1
    const { world, key, runId } = await failedBilling(ledger)
    expect(world.log(key, 'StepCompleted', 'CompensationFailed', 'CompensationCompleted', 'RunFailed')).toEqual([
      'StepCompleted write#1',
      'CompensationFailed write#1',
      'CompensationCompleted write#2',
      'RunFailed RUN#1',
    ])
    expect(evidenceOf(world.records(key))).toContainEqual(
      expect.objectContaining({ actionId: 'write', kind: 'terminal', outcome: 'Succeeded' }),
    )
    const reversals = [...ledger.entries].filter(([, { kind }]) => kind === 'reversal')
    expect(reversals).toEqual([[`${runId}:write:compensate`, { kind: 'reversal', invoiceId: 'inv-7' }]])
    expect(ledger.entries.size).toBe(2)
  })

  it('is not reversed where nobody knows which invoice it was: the failure is recorded, nothing is called with null', async () => {
    const { world, key } = await failedBilling(new Ledger(), () => ({}))
    expect(world.called('invoice.reverse')).toEqual([])
    expect(world.log(key, 'CompensationFailed', 'CompensationCompleted')).toEqual(['CompensationFailed write#1'])
    expect(world.row(key).status).toBe('FAILED')
  })

  it.each([
    ['integer', 7, 'seven'],
    ['number', 0.5, null],
    ['array', [1, 2], { 0: 1 }],
    ['object', { a: 1 }, [1]],
    ['string', 'inv-7', 7],
  ])(
    'is reversed with a field of type %s as its schema asks, and with nothing else [CMP-08]',
    async (type, good, bad) => {
      const schema = { type: 'object', properties: { invoiceId: { type } }, required: ['invoiceId'] }
      for (const [invoiceId, calls] of [[good, [{ invoiceId: good }]] as const, [bad, []] as const]) {
        const { world, key } = await failedBilling(new Ledger(), () => ({ invoiceId }), financeOf(schema))
        const inputs = world.calls.filter(({ name }) => name === 'invoice.reverse').map(({ input }) => input)
        expect(inputs).toEqual(calls)
        const ends = world.log(key, 'CompensationFailed', 'CompensationCompleted')
        expect(ends).toEqual([calls.length > 0 ? 'CompensationCompleted write#1' : 'CompensationFailed write#1'])
      }
    },
  )
})

const KEY = { keyId: 'k1', secret: new Uint8Array(32).fill(7) }
const KEYS = { current: async () => KEY, find: async () => KEY }

/** The steps that wait for a person now. */
async function waiting(process: Process, key: RunKey) {
  process.advancer.forget(key)
  return listTasks(process.services.store, KEYS, await process.advancer.current(key))
}

async function complete(process: Process, key: RunKey): Promise<void> {
  const [task] = await waiting(process, key)
  const completion = { completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId: 'maria' } as const
  await completeTask(process.services, process.advancer, KEYS, process.world.row(key), completion)
  process.engine.wake(key)
  await process.world.time.quiet()
}

describe('an imported action', () => {
  it('of tier HumanApprove is called by itself once it was approved; of ManualOnly a person ends it [GRF-14]', async () => {
    const world = new World()
    const process = world.process('p')
    const key = await process.start(
      planOf([
        { ...WRITE, executionTierOverride: 'HumanApprove' },
        { ...SEND, executionTierOverride: 'ManualOnly' },
      ]),
      { input: { order: 5 }, principal: { ...LOCAL_PRINCIPAL, actorId: 'bo' } },
    )
    await world.time.quiet()
    expect((await waiting(process, key)).map(({ slot }) => slot)).toEqual(['write.approve'])
    expect(world.calls).toEqual([])
    await complete(process, key)
    expect(world.calls.map(({ name, input }) => [name, input])).toEqual([['invoice.write', { input: { order: 5 } }]])
    expect((await waiting(process, key)).map(({ slot }) => slot)).toEqual(['send'])
    await complete(process, key)
    expect(world.row(key).status).toBe('COMPLETED')
    expect(world.called('mail.send')).toEqual([])
  })
})

describe('a workflow of a pack', () => {
  const PACK = {
    schemaVersion: 1,
    definitionId: 'wfdef-change',
    packId: 'scm.change',
    namespace: 'scm',
    triggerType: 'ticket.updated',
    executionTier: 'Auto',
    steps: [
      { stepId: 'step-plan', name: 'Make the plan', actionType: 'plan:generate' },
      { stepId: 'step-deploy', name: 'Deploy it', actionType: 'deployment:trigger' },
    ],
  }

  it('imports and runs, in sequence, each step with what the one before gave', async () => {
    const given: unknown[] = []
    await using keelson = await openKeelson({
      directory: testFolder(),
      steps: { plan: { generate: () => 'v2' }, deployment: { trigger: (input: unknown) => void given.push(input) } },
    })
    const run = await keelson.start(importPlan(JSON.stringify(PACK)), { ticket: 7 })
    expect((await run.result()).status).toBe('COMPLETED')
    expect(given).toEqual([{ input: { ticket: 7 }, previous: 'v2' }])
  })

  it('asks a person before each step under HumanApprove, and is refused at its own lines', () => {
    const asking = importPlan(JSON.stringify({ ...PACK, executionTier: 'HumanApprove' })).plan
    expect(asking.steps.map(({ stepId }) => stepId)).toEqual([
      'step-plan.approve',
      'step-plan',
      'step-deploy.approve',
      'step-deploy',
    ])
    const wrong = JSON.stringify({ ...PACK, steps: [{ stepId: 'a', actionType: 'deploy' }] }, null, 1)
    expect(() => importPlan(wrong, { file: 'pack.json' })).toThrow(
      /'actionType' must be text of the form <entity>:<verb>/,
    )
  })
})

it('an undoing whose input does not fit the schema of the matrix is not called [CMP-07, CMP-08]', async () => {
  const undone: unknown[] = []
  await using keelson = await openKeelson({
    directory: testFolder(),
    steps: {
      invoice: { write: () => ({ invoiceId: 'A-17' }), reverse: (input: unknown) => void undone.push(input) },
      mail: {
        send: () => {
          throw Object.assign(new Error('no'), { name: 'ValidationError' })
        },
      },
    },
  })
  const matrix = (pattern: string): string =>
    JSON.stringify({
      portFamily: 'FinanceAccounting',
      capabilities: [
        {
          capability: 'invoice:write',
          safety: { supportsCompensation: true },
          compensationOperation: 'invoice:reverse',
          compensationInputSchema: {
            type: 'object',
            properties: { invoiceId: { type: 'string', pattern } },
            required: ['invoiceId'],
          },
        },
      ],
    })
  const action = (actionId: string, order: number, operation: string, portFamily: string) => ({
    actionId,
    order,
    operation,
    portFamily,
  })
  const text = (version: number): string =>
    JSON.stringify({
      schemaVersion: 1,
      workflowId: 'billing',
      workspaceId: 'acme',
      name: 'Billing',
      version,
      active: true,
      executionTier: 'Auto',
      actions: [
        action('write', 1, 'invoice:write', 'FinanceAccounting'),
        action('send', 2, 'mail:send', 'CommsCollaboration'),
      ],
    })
  const failed = await keelson.start(importPlan(text(1), { matrices: [matrix('^B-')] }), {})
  await failed.result().catch(() => undefined)
  expect(undone).toEqual([])
  const fits = await keelson.start(importPlan(text(2), { matrices: [matrix('^A-')] }), {})
  await fits.result().catch(() => undefined)
  expect(undone).toEqual([{ invoiceId: 'A-17' }])
})
