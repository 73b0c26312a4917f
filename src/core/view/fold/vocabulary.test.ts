import { describe, expect, it } from 'vitest'
import { at } from '../../../../test/fixtures/log-builder.ts'
import { see, started } from '../../../../test/fixtures/seen-run.ts'
import {
  ACTION_STATES,
  actionMayMove,
  actionStateOf,
  EXECUTION_STATES,
  executionWord,
  RUN_OF_EXECUTION,
  RUN_OF_RUN_V1,
  RUN_V1_STATUSES,
  runV1StatusOf,
  STEP_OF_ACTION,
  STEP_OF_STEP_STATE,
  STEP_STATES,
  stepWord,
  type ActionState,
} from './vocabulary.ts'

const CANCELLED = { code: 'CANCELLED', retryable: false, errorClass: 'cancelled' } as const

describe('action states of seed 3', () => {
  it('map onto ours [SSM-19]', () => {
    expect(ACTION_STATES.map((state) => [state, STEP_OF_ACTION[state].status])).toEqual([
      ['Pending', 'PENDING'],
      ['Running', 'RUNNING'],
      ['WaitingForManualCompletion', 'RUNNING'],
      ['Succeeded', 'SUCCESS'],
      ['Failed', 'FAILED'],
      ['Cancelled', 'FAILED'],
    ])
    expect(STEP_OF_ACTION.WaitingForManualCompletion.waitingForManualCompletion).toBe(true)
    expect(STEP_OF_ACTION.Cancelled.code).toBe('CANCELLED')
  })

  it('come back from a run as it is seen [SSM-19, X-57]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('ManualTaskOpened', { stepId: 'a' })
      .add('StepStarted', { stepId: 'b' })
    const state = (id: string): ActionState | undefined => {
      const { step, snapshot } = see(log)
      const found = step(id)
      return found && actionStateOf(found, snapshot.status)
    }
    expect(['a', 'b', 'c'].map(state)).toEqual(['WaitingForManualCompletion', 'Running', 'Pending'])
    log
      .add('StepFailed', { stepId: 'a', payload: { error: CANCELLED } })
      .add('StepCompleted', { stepId: 'b' })
      .add('RunCancelled')
    expect(['a', 'b', 'c'].map(state)).toEqual(['Cancelled', 'Succeeded', 'Cancelled'])
  })

  it('know every legal move and no other: six by six, manual and not [SSM-20]', () => {
    const legal = new Set([
      'Pending>Running',
      'Pending>Cancelled',
      'Running>Succeeded',
      'Running>Failed',
      'Running>Cancelled',
      'WaitingForManualCompletion>Succeeded',
      'WaitingForManualCompletion>Failed',
      'WaitingForManualCompletion>Cancelled',
    ])
    let cells = 0
    for (const from of ACTION_STATES) {
      for (const to of ACTION_STATES) {
        cells += 1
        const manualOnly = from === 'Running' && to === 'WaitingForManualCompletion'
        expect(actionMayMove(from, to, false), `${from}>${to}`).toBe(legal.has(`${from}>${to}`))
        expect(actionMayMove(from, to, true), `${from}>${to} manual`).toBe(manualOnly || legal.has(`${from}>${to}`))
      }
    }
    expect(cells).toBe(36)
  })
})

describe('states of seed 4', () => {
  it('of steps map onto ours [SSM-18]', () => {
    expect(STEP_STATES.map((state) => [state, STEP_OF_STEP_STATE[state].status])).toEqual([
      ['StepPending', 'PENDING'],
      ['StepValidating', 'PENDING'],
      ['StepExecuting', 'RUNNING'],
      ['StepSuccess', 'SUCCESS'],
      ['StepFailed', 'FAILED'],
      ['StepTimeout', 'FAILED'],
      ['StepRetrying', 'RUNNING'],
      ['StepSkipped', 'SKIPPED'],
      ['StepCancelling', 'RUNNING'],
      ['StepCancelled', 'FAILED'],
    ])
    expect(STEP_OF_STEP_STATE.StepRetrying.runSubstatus).toBe('RETRYING')
    const retrying = see(
      started()
        .add('StepStarted', { stepId: 'a' })
        .add('StepFailed', { stepId: 'a', payload: { final: false } }),
    )
    expect([retrying.step('a')?.status, retrying.snapshot.substatus]).toEqual(['RUNNING', 'RETRYING'])
    expect(STEP_OF_STEP_STATE.StepCancelled.code).toBe('CANCELLED')
  })

  it('of executions map onto ours, cancelling and validating as substatus [SSM-21]', () => {
    expect(
      EXECUTION_STATES.map((state) => [state, RUN_OF_EXECUTION[state].status, RUN_OF_EXECUTION[state].word]),
    ).toEqual([
      ['Pending', 'PENDING', undefined],
      ['Validating', 'prior', 'VALIDATING'],
      ['Running', 'RUNNING', undefined],
      ['Cancelling', 'prior', 'CANCELLING'],
      ['Completed', 'COMPLETED', undefined],
      ['Failed', 'FAILED', undefined],
      ['Cancelled', 'CANCELLED', undefined],
    ])
    const cancel = { signalType: 'CANCEL', graceUntil: at(8000) } as const
    const inGrace = see(
      started().add('StepStarted', { stepId: 'a' }).add('SignalAccepted', { payload: cancel }),
    ).snapshot
    expect(inGrace.substatus).toBe('embedded/CANCELLING')
    expect(executionWord(inGrace)).toBe('cancelling')
    expect(executionWord({ status: 'APPROVED', substatus: 'embedded/VALIDATING' })).toBe('validating')
    expect(
      (['PENDING', 'APPROVED', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'] as const).map((status) =>
        executionWord({ status }),
      ),
    ).toEqual(['pending', 'pending', 'running', 'paused', 'completed', 'failed', 'cancelled'])
  })

  it('show work cut short by a cancel as cancelled [X-57]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepFailed', { stepId: 'a', payload: { error: CANCELLED } })
      .add('StepSkipped', { stepId: 'b' })
      .add('RunCancelled')
    const { snapshot } = see(log)
    expect(snapshot.steps.map((step) => stepWord(step, snapshot.status))).toEqual(['cancelled', 'skipped', 'cancelled'])
  })
})

describe('run statuses of RunV1', () => {
  it('map onto ours and back [GRF-15]', () => {
    expect(RUN_V1_STATUSES.map((status) => [status, RUN_OF_RUN_V1[status].status])).toEqual([
      ['Pending', 'PENDING'],
      ['Running', 'RUNNING'],
      ['WaitingForApproval', 'PENDING'],
      ['Paused', 'PAUSED'],
      ['Succeeded', 'COMPLETED'],
      ['Failed', 'FAILED'],
      ['Cancelled', 'CANCELLED'],
    ])
    for (const status of RUN_V1_STATUSES) expect(runV1StatusOf(RUN_OF_RUN_V1[status])).toBe(status)
    expect(runV1StatusOf({ status: 'APPROVED' })).toBe('Pending')
  })
})
