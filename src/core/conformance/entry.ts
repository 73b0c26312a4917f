/**
 * One entry of a conformance corpus: a plan, its input, what its handlers do, what is sent to it meanwhile, and how it
 * must end. The table of fields is the format: reading, JSON Schema and messages are derived from it.
 */
import { EVENT_TYPES } from '../events/event.ts'
import { LIMITS } from '../limits.ts'
import { objectOf, optional, required } from '../plan/format/fields.ts'
import { kindOf, listOf, recordOf, type Kind, type KindOf } from '../plan/format/kind.ts'
import { agentNames, delayMs, id, integer, names, oneOf, text } from '../plan/format/kinds.ts'
import type { Json } from '../plan/plan.ts'
import { SIGNAL_TYPES } from '../run/signals/catalogue.ts'

const flag: Kind<boolean> = kindOf('true or false', { type: 'boolean' }, (value) => typeof value === 'boolean')
/** Taken literally: text that looks like an expression is text here. */
const value: Kind<Json> = kindOf('a value', {}, (_given): _given is Json => true)
const fields: Kind<{ readonly [name: string]: Json }> = kindOf(
  'an object',
  { type: 'object' },
  (given): given is { readonly [name: string]: Json } =>
    typeof given === 'object' && given !== null && !Array.isArray(given),
)
const code = text({ max: 128, pattern: /^[A-Z][A-Z0-9_]{1,127}$/, what: 'a code such as CARD_DECLINED' })

const SLOT = /^(COMP:|FALLBACK:)?[A-Za-z0-9_.-]{1,128}(\[\d{1,6}\])?$/
const SLOT_NAMES = {
  pattern: SLOT,
  what: "a step, an item such as 'pack[2]', or one of them after 'COMP:' or 'FALLBACK:'",
}
const slot = text({ max: 256, pattern: SLOT, what: SLOT_NAMES.what })
const planId = optional(id, 'Of a child run: its plan. Default: the run of the entry itself.', 'ship-parcel')

const condition = objectOf(
  {
    event: required(oneOf(...EVENT_TYPES), 'The type of an event that must be in the log.', 'StepStarted'),
    of: optional(slot, 'The step or item it is about.', 'pay', 'any'),
    attempt: optional(integer(1, 1_000_000), 'Of which attempt.', '2', 'any'),
    times: optional(integer(1, LIMITS.planSteps), 'So many of them.', '3', '1'),
    plan: planId,
  },
  { what: 'a condition' },
)
export type Condition = KindOf<typeof condition>

const failure = objectOf(
  {
    message: optional(text({ max: 1000 }), 'The text of the error.', 'card declined', 'it failed'),
    code: optional(text({ max: 128 }), 'Its `code`.', 'ECONNREFUSED'),
    name: optional(text({ max: 128 }), 'Its `name`.', 'ValidationError', 'Error'),
    status: optional(integer(100, 599), 'Its `status`.', '503'),
  },
  { what: 'a failure' },
)

const act = objectOf(
  {
    afterMs: optional(delayMs, 'It takes so long.', '20', 'no time'),
    until: optional(condition, 'It takes until this is in the log.', '{ event: RunPaused }'),
    output: optional(value, 'It succeeds with this.', '{ id: 7 }', 'its input'),
    chars: optional(integer(1, 1_000_000), 'It succeeds with a text of so many characters.', '70000'),
    fail: optional(failure, 'It fails with this.', '{ code: CARD_DECLINED }'),
    block: optional(flag, 'It goes on until it is told to stop, and then stops.', 'true', 'false'),
    deaf: optional(flag, 'It does not listen when it is told to stop.', 'true', 'false'),
    artifact: optional(id, 'It adds a pointer to an artifact of this name.', 'report.pdf'),
  },
  { what: 'an act', foreign: { delay: 'write afterMs', error: 'write fail', result: 'write output' } },
)
export type Act = KindOf<typeof act>

const completion = objectOf(
  {
    step: required(slot, 'The manual step or item.', 'release'),
    outcome: required(oneOf('Succeeded', 'Failed', 'Cancelled'), 'What the person says.', 'Succeeded'),
    as: optional(text({ max: 255 }), 'Who it is; the run is started by `starter`.', 'ana', 'local'),
    notes: optional(text(), 'What they note.', 'checked'),
    evidence: optional(listOf(text({ max: 255 })), 'References to evidence.', '[photo-1]'),
    result: optional(value, 'The output of the step.', '{ ok: true }', 'null'),
  },
  { what: 'a completion' },
)

const sentEvent = objectOf(
  {
    name: required(text({ max: LIMITS.nameBytes }), 'Its name.', 'order.paid'),
    key: optional(text({ max: LIMITS.eventKeyBytes }), 'Its key.', 'A-17', 'none'),
    data: optional(value, 'Its data.', '{ amount: 5 }', 'null'),
    id: optional(text({ max: LIMITS.eventIdBytes }), 'Its id.', 'paid-1', '`event` and the number of the move'),
  },
  { what: 'an event' },
)

const move = objectOf(
  {
    when: required(condition, 'It is made once this is in the log.', '{ event: StepStarted, of: pay }'),
    send: optional(oneOf(...SIGNAL_TYPES), 'Sends this signal.', 'PAUSE'),
    payload: optional(fields, 'The payload of the signal.', '{ stepId: pay }', '{}'),
    denied: optional(flag, 'The sender may not send it.', 'true', 'false'),
    event: optional(sentEvent, 'Sends an event to the steps that wait for it.', '{ name: order.paid, key: A-17 }'),
    complete: optional(completion, 'Completes a manual task.', '{ step: release, outcome: Succeeded }'),
    fork: optional(
      objectOf({ from: optional(id, 'Run this step and what follows it again.', 'pack') }, { what: 'a fork' }),
      'Forks the ended run.',
      '{ from: pack }',
    ),
    plan: planId,
  },
  { what: 'a move', foreign: { signal: 'write send', on: 'write when' } },
)
export type Move = KindOf<typeof move>

const expectation = objectOf(
  {
    status: optional(oneOf('COMPLETED', 'FAILED', 'CANCELLED'), 'How the run ends.', 'COMPLETED'),
    refused: optional(code, 'It is not even started, for this reason.', 'RUN_INPUT_INVALID'),
    answers: optional(
      listOf(text({ max: 128 })),
      'What each move is answered: ok, or the code of the refusal.',
      '[ok, AUTHZ_DENIED]',
    ),
    output: optional(value, 'The output of the run.', '{ total: 3 }'),
  },
  { what: 'an expectation' },
)

const document: Kind<Json> = kindOf('a plan', { type: 'object' }, (given): given is Json => typeof given === 'object')

export const entry = objectOf(
  {
    about: optional(text(), 'What it shows, in one sentence.', 'A branch beside a failing one is stopped.'),
    proves: optional(listOf(text({ max: 32 })), 'Ids of requirements it is a golden plan of.', '[ADP-07]'),
    plan: optional(document, 'The plan itself.', '{ plan: order, version: 1.0.0, steps: [{ id: pay, run: pay }] }'),
    planFile: optional(text({ max: 1024 }), 'Or the file it is in, seen from here.', '../plan.yaml'),
    importFile: optional(
      text({ max: 1024 }),
      'Or the file of a workflow from elsewhere, which becomes the plan as with `keelson plan import`.',
      '../imported/flow.json',
    ),
    matrixFiles: optional(listOf(text({ max: 1024 })), 'Capability matrices that this workflow relies on.', '[]'),
    plans: optional(listOf(document), 'Further plans, which its `plan` steps start.', '[]'),
    input: optional(value, 'The input of the run.', '{ orderId: A-17 }', 'none'),
    agents: optional(recordOf(integer(1, 10_000), agentNames), 'Limits of agents.', '{ payments: 1 }'),
    resources: optional(recordOf(integer(1, 1_000_000_000), names), 'Resources there are.', '{ gpu: 2 }'),
    secrets: optional(recordOf(text()), 'Secrets by their reference.', '{ "secret://pay/token": "t0ken-of-pay" }'),
    script: optional(
      recordOf(listOf(act, { min: 1 }), SLOT_NAMES),
      'What the handlers do, by step or item: one act for each attempt; the last one holds for all that follow.',
      '{ pay: [{ fail: { code: BUSY } }, { output: 7 }] }',
      'each gives back its input',
    ),
    moves: optional(
      listOf(move),
      'What is done from outside, one after another.',
      '[{ when: { event: RunStarted }, send: PAUSE }]',
    ),
    until: optional(
      listOf(condition),
      'What must be in the log besides the end of the run.',
      '[{ event: LateOutcomeRecorded }]',
    ),
    expect: optional(expectation, 'How it must come out on every engine.', '{ status: COMPLETED }'),
  },
  {
    what: 'an entry',
    foreign: { signals: 'write moves', handlers: 'write script', steps: 'write plan: { steps: … }' },
  },
)
export type EntryFields = KindOf<typeof entry>
