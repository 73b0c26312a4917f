/** Turns good plans into doubtful ones: characters flipped, parts cut and pasted, fields swapped for anything. */
import type { RandomSource } from './random-source.ts'

export const SMALL_YAML = [
  'plan: a\nversion: 1.0.0\nsteps:\n  - id: a\n    run: f\n',
  'plan: b\nversion: "1"\nsteps:\n  - { id: x, run: f, dependsOn: [] }\n  - { id: y, wait: { forMs: 5 }, dependsOn: [x] }\n',
  'metadata: { planId: c, planVersion: "2" }\nsteps: [{ stepId: s, order: 1, run: g, with: { a: "${input.b}" } }]\n',
  'plan: d\nversion: "1"\nx-base: &r { maxAttempts: 2 }\nsteps:\n  - id: s\n    run: f\n    retry: *r\n',
] as const

export const WHOLE_PLAN = {
  plan: 'order',
  version: '1.4.0',
  requires: ['workflow.fan.dynamic'],
  metadata: { name: 'Order', labels: { team: 'x' }, fallbackBehavior: 'emulate' },
  inputs: { type: 'object', required: ['items'] },
  context: { n: 0 },
  policy: { concurrency: 10, onFailure: 'hold', retry: { maxAttempts: 4 }, runTimeoutMs: 60_000 },
  output: { id: '${steps.reserve.output.id}' },
  steps: [
    {
      id: 'reserve',
      run: 'stock.reserve',
      with: { items: '${input.items}', deep: [{ a: null }, true] },
      compensate: { run: 'stock.release', with: { id: '${steps.reserve.output.id}' }, retry: { maxAttempts: 3 } },
      capture: [{ destination: 'order.id', transform: 'id', merge: 'replace' }],
    },
    {
      id: 'charge',
      dependsOn: ['reserve'],
      http: { url: 'https://pay.example/c', method: 'POST', headers: { a: 'b' }, body: { o: '${input.o}' } },
      secrets: { authorization: 'secret://pay/token' },
      retry: { maxAttempts: 5, retryableErrors: ['timeout', '5xx'] },
      fallback: { run: 'pay.later' },
      fallbackOn: ['exhausted', 'permanent'],
      effect: 'irreversible',
    },
    {
      id: 'pack',
      dependsOn: ['charge'],
      forEach: '${input.items}',
      command: { argv: ['pack', '${item.sku}'], env: { A: 'b' } },
    },
    {
      id: 'ok',
      dependsOn: ['pack'],
      manual: { title: 'Release', rule: 'MakerChecker' },
      if: 'input.a',
      resources: { dock: 1 },
    },
  ],
}

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '- ',
  '? ',
  '&a ',
  '*a',
  '!x ',
  '|',
  '>',
  '%',
  '#',
  '"',
  "'",
  '\n',
  '\n  ',
  '\t',
  '\r',
  '\u0000',
  '\ud800',
  '😀',
  '${',
  '}',
  '---\n',
  '...',
  '<<: ',
  '__proto__: ',
  'constructor',
  '1e999',
  '.nan',
  '~',
  'null',
  '\\u0000',
  '\ufeff',
  '.inf',
] as const

const JUNK = [
  null,
  true,
  false,
  0,
  -1,
  1,
  11,
  1.5,
  1e300,
  10_001,
  '',
  'a',
  'RUN',
  '${',
  '${input}',
  'secret://a',
  [],
  [[]],
  {},
  { a: 1 },
  ['a'],
  [null],
  'x'.repeat(200),
  '\ud800',
  '__proto__',
  { run: 'f' },
  { 'x-y': 1 },
  'v1.0',
  '2030-01-01T00:00:00Z',
  { password: 'p' },
] as const

const NAMES = [
  'id',
  'stepId',
  'run',
  'with',
  'order',
  'dependsOn',
  'retry',
  'x-note',
  'wait',
  'plan',
  'if',
  'a',
  'forEach',
  'effect',
] as const

export function flipText(text: string, random: RandomSource): string {
  let changed = text
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(changed.length + 1)
    const length = random.below(random.pick([2, 4, 12]))
    const cut = changed.slice(at, at + length)
    const change = random.below(5)
    if (change === 0) changed = changed.slice(0, at) + changed.slice(at + length)
    else if (change === 1) changed = changed.slice(0, at) + random.pick(TOKENS) + changed.slice(at)
    else if (change === 2)
      changed = changed.slice(0, at) + String.fromCharCode(random.below(300)) + changed.slice(at + 1)
    else if (change === 3) changed = changed.slice(0, at) + cut + cut + changed.slice(at)
    else changed = changed.slice(0, at) + random.pick(TOKENS) + changed.slice(at + length)
  }
  return changed
}

/** A copy in which a few fields are replaced, removed, renamed or doubled. */
export function mutatePlan(json: string, random: RandomSource): unknown {
  const copy: unknown = JSON.parse(json)
  for (let times = 1 + random.below(3); times > 0; times--) mutateOnce(copy, random)
  return copy
}

function mutateOnce(root: unknown, random: RandomSource): void {
  let at = root
  for (let depth = random.below(5); depth >= 0; depth--) {
    if (typeof at !== 'object' || at === null) return
    const keys = Object.keys(at)
    const key = keys[random.below(keys.length)] ?? random.pick(NAMES)
    const next: unknown = Reflect.get(at, key)
    if (depth > 0 && typeof next === 'object' && next !== null) at = next
    else return changeField(at, key, random)
  }
}

function changeField(at: object, key: string, random: RandomSource): void {
  const choice = random.below(4)
  if (choice === 0) Reflect.deleteProperty(at, key)
  else if (choice === 1) Reflect.set(at, random.pick(NAMES), Reflect.get(at, key))
  else if (choice === 2) Reflect.set(at, random.pick(NAMES), structuredClone(random.pick(JUNK)))
  else Reflect.set(at, key, structuredClone(random.pick(JUNK)))
}
