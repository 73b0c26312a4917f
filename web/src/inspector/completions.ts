/** What an expression may go on with: roots, steps, and the fields that the values on record have. */
import { stepSlotOf } from '../../../src/core/events/slot-of.ts'
import { parseStepSlot } from '../../../src/core/events/slot.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import type { RunHistory } from '../history/run-history.ts'
import { inputOf, recordedIn } from '../history/recorded.ts'

type Fields = Readonly<Record<string, unknown>>

/** The data of the run as far as the page has it, in the shape that expressions see. */
export function seenBy(history: RunHistory, seq: number, slot: string | undefined): Fields {
  const records = history.records.slice(0, history.countAt(seq))
  const input = inputOf(records)
  const outputs = outputsOf(records)
  const steps = (history.plan?.steps ?? []).map(({ stepId }) => {
    return [stepId, { output: outputs.get(stepId) ?? null, status: '', error: { code: '' } }] as const
  })
  const isItem = parseStepSlot(slot ?? '')?.itemIndex !== undefined
  return {
    input: input.kind === 'known' ? input.value : {},
    steps: Object.fromEntries(steps),
    context: history.plan?.context ?? {},
    run: { id: '', planId: '', planVersion: '', attempt: 1 },
    ...(slot === undefined ? {} : { previous: null }),
    ...(isItem ? { item: null, index: 0 } : {}),
  }
}

/** Of a fan-out, the outputs of its items so far. */
function outputsOf(records: readonly LogRecord[]): ReadonlyMap<string, unknown> {
  const outputs = new Map<string, unknown>()
  for (const record of records) {
    const slot = record.eventType === 'StepCompleted' ? parseStepSlot(stepSlotOf(record) ?? '') : undefined
    const result = slot === undefined ? undefined : recordedIn(record, 'result', 'resultRef', null)
    if (slot === undefined || result?.kind !== 'known') continue
    const { stepId, itemIndex } = slot
    if (itemIndex === undefined) {
      if (result.value !== null || !outputs.has(stepId)) outputs.set(stepId, result.value)
      continue
    }
    const items = outputs.get(stepId)
    if (Array.isArray(items)) items.push(result.value)
    else outputs.set(stepId, [result.value])
  }
  return outputs
}

const FUNCTIONS = [
  'contains(',
  'join(',
  'keys(',
  'length(',
  'map(&',
  'max(',
  'min(',
  'not_null(',
  'sort_by(',
  'sum(',
  'type(',
]

const NAME = String.raw`(?:[A-Za-z_]\w*|"[^"]*")`
const INDEX = String.raw`(?:\[[^\]]*\])*`
/** The path that the expression ends with: whole names, and the beginning of one. */
const PATH = new RegExp(String.raw`((?:${NAME}${INDEX}\.)*)([A-Za-z_]\w*|"[^"]*)?$`)
const PART = new RegExp(`(${NAME})(${INDEX})\\.`, 'g')
const MOST = 40

export function completions(text: string, seen: Fields): readonly string[] {
  const [, path = '', begun = ''] = PATH.exec(text) ?? []
  let node: unknown = seen
  for (const [, name = '', index = ''] of path.matchAll(PART)) {
    node = isFields(node) ? node[name.replaceAll('"', '')] : undefined
    if (index !== '' && Array.isArray(node)) node = node[0] as unknown
  }
  const before = text.slice(0, text.length - begun.length)
  const start = begun.replace('"', '')
  const names = isFields(node) ? Object.keys(node) : []
  const fitting = names.filter((name) => name.startsWith(start) && name !== start).map((name) => quoted(name))
  const functions = path === '' ? FUNCTIONS.filter((name) => name.startsWith(begun) && begun !== '') : []
  return [...fitting, ...functions].slice(0, MOST).map((name) => `${before}${name}`)
}

const quoted = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
