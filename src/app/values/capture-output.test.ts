import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Capture } from '../../core/plan/plan.ts'
import { sha256Hex } from '../log/sha256.ts'
import { applyCaptures, replayCaptures } from './capture-output.ts'
import type { ContextVariables } from './run-context.ts'
import { SEED } from '../../../test/setup/seed.ts'

type Mode = Capture['merge']

const capture = (destination: string, merge: Mode, transform?: string): Capture => ({
  destination,
  merge,
  ...(transform === undefined ? {} : { transform }),
})

/** The context after one capture, or the code it is refused with. */
function after(context: ContextVariables, merge: Mode, output: unknown, destination = 'v'): unknown {
  const result = applyCaptures([capture(destination, merge)], output, context)
  if (!result.ok) return result.problems[0]?.code
  return Object.fromEntries([
    ...Object.entries(context),
    ...result.value.writes.map(({ variable, value }) => [variable, value] as const),
  ])
}

describe('capturing an output', () => {
  it.each([
    ['replace', {}, 5, { v: 5 }],
    ['replace', {}, { a: 1 }, { v: { a: 1 } }],
    ['replace', {}, [1], { v: [1] }],
    ['replace', { v: { old: 1 } }, 5, { v: 5 }],
    ['replace', { v: 1 }, { a: 1 }, { v: { a: 1 } }],
    ['replace', { v: { old: 1 } }, [1], { v: [1] }],
    ['merge', {}, { a: 1 }, { v: { a: 1 } }],
    ['merge', { v: { a: 0, b: { x: 1 } } }, { a: 1, b: { y: 2 } }, { v: { a: 1, b: { y: 2 } } }],
    ['merge', {}, 5, 'OUTPUT_INVALID'],
    ['merge', { v: {} }, [1], 'OUTPUT_INVALID'],
    ['merge', { v: {} }, null, 'OUTPUT_INVALID'],
    ['merge', { v: 7 }, { a: 1 }, 'OUTPUT_INVALID'],
    ['merge', { v: [7] }, { a: 1 }, 'OUTPUT_INVALID'],
    ['append', {}, 5, { v: [5] }],
    ['append', {}, { a: 1 }, { v: [{ a: 1 }] }],
    ['append', {}, [1, 2], { v: [[1, 2]] }],
    ['append', { v: [0] }, 5, { v: [0, 5] }],
    ['append', { v: [0] }, { a: 1 }, { v: [0, { a: 1 }] }],
    ['append', { v: [0] }, [1, 2], { v: [0, [1, 2]] }],
    ['append', { v: 7 }, 5, 'OUTPUT_INVALID'],
    ['append', { v: {} }, 5, 'OUTPUT_INVALID'],
  ] as const)('%s into %j of %j gives %j [DFL-03]', (mode, context, output, expected) => {
    expect(after(context, mode, output)).toEqual(expected)
  })

  it('creates the path that is missing and keeps what lies beside it [DFL-03]', () => {
    expect(after({}, 'replace', 1, 'a.b.c')).toEqual({ a: { b: { c: 1 } } })
    expect(after({ a: { x: 0 } }, 'append', 1, 'a.list')).toEqual({ a: { x: 0, list: [1] } })
    expect(after({ a: [{ n: 1 }, { n: 2 }] }, 'replace', 9, 'a.1.n')).toEqual({ a: [{ n: 1 }, { n: 9 }] })
    expect(after({ a: 5 }, 'replace', 1, 'a.b')).toBe('OUTPUT_INVALID')
    expect(after({ a: [1] }, 'replace', 1, 'a.7')).toBe('OUTPUT_INVALID')
    expect(after({ a: [1] }, 'replace', 1, 'a.x')).toBe('OUTPUT_INVALID')
  })

  it('transforms the output first, over the output alone [DFL-03]', () => {
    const result = applyCaptures([capture('sum', 'replace', 'sum(lines[].n)')], { lines: [{ n: 1 }, { n: 2 }] }, {})
    expect(result.ok ? result.value : result.problems).toEqual({
      captures: [{ path: 'sum', mode: 'replace' }],
      values: [3],
      blobs: [],
      writes: [{ variable: 'sum', value: 3 }],
    })
    const broken = applyCaptures([capture('sum', 'replace', 'sum(@)')], 'text', {})
    expect(broken.ok ? 'captured' : broken.problems[0]).toMatchObject({ code: 'EXPR_FAILED', retryable: false })
  })

  it('applies several in the order of the plan, with one row for each variable [P-16]', () => {
    const captures = [capture('a.x', 'replace', 'x'), capture('a', 'merge', '{y: y}'), capture('b', 'append', 'x')]
    const result = applyCaptures(captures, { x: 1, y: 2 }, { a: { z: 3 } })
    expect(result.ok ? result.value.writes : result.problems).toEqual([
      { variable: 'a', value: { z: 3, x: 1, y: 2 } },
      { variable: 'b', value: [1] },
    ])
  })

  it('keeps 16 KiB of values in the event, and one byte more by reference [P-05, P-16]', () => {
    // `["` and `"]` around it.
    const fits = applyCaptures([capture('v', 'replace')], 'x'.repeat(16 * 1024 - 4), {})
    expect(fits.ok && fits.value.captures).toEqual([{ path: 'v', mode: 'replace' }])
    expect(fits.ok && fits.value.blobs).toEqual([])
    const output = 'x'.repeat(16 * 1024 - 3)
    const over = applyCaptures([capture('v', 'replace')], output, {})
    const text = JSON.stringify(output)
    const ref = { sha256: sha256Hex(text), sizeBytes: text.length }
    expect(over).toEqual({
      ok: true,
      value: {
        captures: [{ path: 'v', mode: 'replace', ref }],
        values: [null],
        blobs: [{ sha256: ref.sha256, text }],
        writes: [{ variable: 'v', value: output }],
      },
    })
  })

  it('moves the largest values first and no more than needed [P-05]', () => {
    const captures = [
      capture('small', 'replace', 'a'),
      capture('large', 'replace', 'b'),
      capture('other', 'replace', 'c'),
    ]
    const output = { a: 'a'.repeat(5_000), b: 'b'.repeat(9_000), c: 'c'.repeat(7_000) }
    const result = applyCaptures(captures, output, {})
    expect(result.ok && result.value.captures.map(({ ref }) => ref !== undefined)).toEqual([false, true, false])
    expect(result.ok && result.value.values).toEqual([output.a, null, output.c])
  })

  it('refuses what is larger than a run input may be [P-05]', () => {
    expect(after({}, 'replace', 'x'.repeat(10 * 1024 * 1024))).toBe('DECISION_DATA_TOO_LARGE')
  })

  it('changes nothing in place', () => {
    const context = Object.freeze({ v: Object.freeze([Object.freeze({ n: 1 })]) })
    expect(after(context, 'append', 2)).toEqual({ v: [{ n: 1 }, 2] })
    expect(context).toEqual({ v: [{ n: 1 }] })
  })
})

describe('isolation', () => {
  const isolated = (destination: string, merge: Mode, output: unknown, readOnly: readonly string[]): unknown => {
    const result = applyCaptures([capture(destination, merge)], output, { order: { total: 1 } }, { readOnly })
    return result.ok ? 'written' : result.problems[0]?.code
  }

  it('refuses to write a read-only path, below it or above it [DFL-05]', () => {
    expect(isolated('order.total', 'replace', 2, ['order.total'])).toBe('OUTPUT_INVALID')
    expect(isolated('order.total.vat', 'replace', 2, ['order.total'])).toBe('OUTPUT_INVALID')
    expect(isolated('order', 'replace', {}, ['order.total'])).toBe('OUTPUT_INVALID')
    expect(isolated('order', 'merge', { total: 2 }, ['order.total'])).toBe('OUTPUT_INVALID')
    expect(isolated('order', 'merge', { note: 'x' }, ['order.total'])).toBe('written')
    expect(isolated('order.note', 'replace', 'x', ['order.total'])).toBe('written')
    expect(isolated('orders', 'replace', 'x', ['order'])).toBe('written')
  })

  it('keeps a private variable out of the context and out of the event [DFL-05]', () => {
    const captures = [capture('secret.part', 'replace'), capture('shown', 'replace')]
    const result = applyCaptures(captures, 1, {}, { private: ['secret'] })
    expect(result.ok ? result.value : result.problems).toEqual({
      captures: [{ path: 'shown', mode: 'replace' }],
      values: [1],
      blobs: [],
      writes: [{ variable: 'shown', value: 1 }],
    })
  })
})

describe('the context as a fold of the log', () => {
  it('is the same when recorded captures are replayed in their order [DFL-10, X-74, P-16]', () => {
    const log: { captures: readonly { path: string; mode: Mode }[]; values: readonly unknown[] }[] = []
    let live: ContextVariables = {}
    for (const stepId of ['right', 'left']) {
      const result = applyCaptures([capture('trail', 'append', 'id')], { id: stepId }, live)
      if (!result.ok) throw new Error('refused')
      log.push(result.value)
      live = { ...live, ...Object.fromEntries(result.value.writes.map(({ variable, value }) => [variable, value])) }
    }
    const folded = log.reduce<ContextVariables>((context, { captures, values }) => {
      const result = replayCaptures(context, captures, values)
      return result.ok ? result.value : {}
    }, {})
    expect(folded).toEqual(live)
    expect(folded).toEqual({ trail: ['right', 'left'] })
    const other = replayCaptures(
      {},
      [...log].reverse().flatMap((entry) => entry.captures),
      [...log].reverse().flatMap((entry) => entry.values),
    )
    expect(other.ok ? other.value : {}).toEqual({ trail: ['left', 'right'] })
  })

  it('holds for any captures at all [DFL-10, P-16]', () => {
    const seed = SEED
    const steps = fc.array(
      fc.record({
        destination: fc.constantFrom('a', 'b', 'a.x', 'a.x.y', 'b.0', 'c'),
        merge: fc.constantFrom<Mode>('replace', 'merge', 'append'),
        output: fc.jsonValue({ maxDepth: 2 }),
      }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(steps, (all) => {
        const log: Parameters<typeof replayCaptures>[] = []
        let live: ContextVariables = { b: [] }
        for (const { destination, merge, output } of all) {
          const result = applyCaptures([capture(destination, merge)], output, live)
          if (!result.ok) continue
          log.push([live, result.value.captures, structuredClone(result.value.values)])
          live = { ...live, ...Object.fromEntries(result.value.writes.map(({ variable, value }) => [variable, value])) }
        }
        let folded: ContextVariables = { b: [] }
        for (const [, captures, values] of log) {
          const result = replayCaptures(folded, captures, values)
          folded = result.ok ? result.value : {}
        }
        expect(folded).toEqual(live)
      }),
      { numRuns: 300, seed },
    )
  })
})
