/** The routing table: which queue takes a run, a step, and what a worker listens to. */
import { describe, expect, it } from 'vitest'
import { isForeignQueue, runQueue, stepQueue, workerQueues } from './task-queues.ts'

const byTenant = { taskQueue: 'dvt-temporal', routing: 'tenant' } as const
const byClass = { taskQueue: 'dvt-temporal', routing: 'class' } as const
const scope = { tenantId: 'acme', environmentId: 'prod' }
const plain = { actionKind: 'run', isolated: false }

describe('a run', () => {
  it.each([
    [byTenant, scope, 'dvt-temporal-acme'],
    [byTenant, { ...scope, tenantId: '' }, 'dvt-temporal'],
    [{ ...byTenant, taskQueue: 'mine' }, scope, 'mine-acme'],
    [byClass, scope, 'tq-control-prod'],
  ])('under %o of %o goes to %s [TMP-11, TMP-13]', (queues, at, queue) => {
    expect(runQueue(queues, at)).toBe(queue)
  })
})

describe('a step', () => {
  it.each([
    [byTenant, plain, undefined],
    [byTenant, { actionKind: 'dbt', isolated: true }, undefined],
    [byTenant, { ...plain, taskQueue: 'gpu' }, 'gpu'],
    [byClass, plain, undefined],
    [byClass, { actionKind: 'dbt', isolated: false }, 'tq-data-prod'],
    [byClass, { actionKind: 'RUN_DBT_MODEL', isolated: true }, 'tq-data-prod'],
    [byClass, { actionKind: 'run', isolated: true }, 'tq-isolation-acme-prod'],
    [byClass, { actionKind: 'dbt', isolated: true, taskQueue: 'gpu' }, 'gpu'],
  ])('under %o with %o goes to %s [TMP-13]', (queues, step, queue) => {
    expect(stepQueue(queues, scope, step)).toBe(queue)
  })
})

describe('a queue that a plan names', () => {
  it.each([
    [byTenant, 'dvt-temporal-zeta', true],
    [byTenant, 'dvt-temporal', true],
    [byTenant, 'dvt-temporal-acme-wake', true],
    [byTenant, 'dvt-temporal-acme', false],
    [byTenant, 'gpu', false],
    [byTenant, 'tq-data-prod', false],
    [{ ...byTenant, stepQueues: ['dvt-temporal-zeta'] }, 'dvt-temporal-zeta', false],
    [byClass, 'tq-isolation-zeta-prod', true],
    [byClass, 'tq-control-test', true],
    [byClass, 'tq-data-test', true],
    [byClass, 'tq-control-prod-wake', true],
    [byClass, 'tq-isolation-acme-prod', false],
    [byClass, 'tq-data-prod', false],
    [byClass, 'dvt-temporal-zeta', true],
  ])('under %o is another’s: %s is %s; then the step keeps to its own', (queues, queue, isForeign) => {
    expect(isForeignQueue(queues, scope, queue)).toBe(isForeign)
    expect(stepQueue(queues, scope, { ...plain, taskQueue: queue })).toBe(isForeign ? undefined : queue)
  })
})

describe('a worker', () => {
  it('listens to its tenant and to what plans name, each once [TMP-11, TMP-13]', () => {
    expect(workerQueues(byTenant, [scope], ['gpu', 'gpu', 'dvt-temporal-acme'])).toEqual(['dvt-temporal-acme', 'gpu'])
  })

  it('listens to every class of work of its scopes [TMP-13]', () => {
    const other = { tenantId: 'zeta', environmentId: 'prod' }
    expect(workerQueues(byClass, [scope, other], [])).toEqual([
      'tq-control-prod',
      'tq-data-prod',
      'tq-isolation-acme-prod',
      'tq-isolation-zeta-prod',
    ])
  })
})
