/**
 * `forEach`: an expression that gives a list, or an object that also says how many items are at work at once, or that
 * holds a block of steps for each item. The block is compiled like a plan of its own (compile/compile-steps.ts).
 */
import type { Json } from '../plan.ts'
import { objectOf, optional, required, type Section } from './fields.ts'
import { isList, kindOf, type Kind, type KindOf } from './kind.ts'
import { concurrency, expression } from './kinds.ts'

/** The list itself; its steps are compiled one by one when the policy is known. */
export const stepList = kindOf(
  'a list of steps',
  { type: 'array', items: { $ref: '#/$defs/step' }, minItems: 1 },
  isList,
)

/** Read with the block, where its expressions have their meaning. */
const output: Kind<Json> = { what: 'a value', schema: {}, read: (value) => value }

const items = expression('expression')

const fields = objectOf(
  {
    in: required(items, 'The list; each of its elements is an `item`.', 'input.items'),
    concurrency: optional(
      concurrency,
      'How many items may be at work at once, within the limit of the run. An item keeps its place between its attempts.',
      '5',
      'policy.concurrency',
    ),
    steps: optional(
      stepList,
      'A block of steps that runs for each item, as a child run; it sees `item`, `index`, `input` and what the step itself could read.',
      '[{ id: pick, run: stock.pick }]',
    ),
    output: optional(
      output,
      'The output of the block, for each item; computed when its last step has ended.',
      '{ parcel: "${steps.pick.output}" }',
      'null',
    ),
  },
  {
    what: 'forEach',
    foreign: { items: 'write in', list: 'write in', of: 'write in', each: 'write in', do: 'write steps' },
  },
)

export type WrittenForEach = string | KindOf<typeof fields>

export const forEach: Kind<WrittenForEach> & Section = {
  ...fields,
  what: 'an expression that gives a list, or an object (forEach)',
  schema: { anyOf: [items.schema, fields.schema] },
  read: (value, place, reading) =>
    typeof value === 'string' ? items.read(value, place, reading) : fields.read(value, place, reading),
}
