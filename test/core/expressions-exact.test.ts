/** Expressions as an author of plans meets them: the code and place of each refusal, and a default where there is no value. */
import { describe, expect, it } from 'vitest'
import { KeelsonError, loadPlan, openKeelson } from '../../src/main.ts'

const planOf = (steps: string): string => `plan: p\nversion: 1.0.0\nsteps:\n${steps}`

/** `<code> <place>` of the first refusal. */
function refusal(steps: string): string {
  try {
    loadPlan(planOf(steps))
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    return `${thrown.code} ${thrown.problems[0]?.pointer ?? ''}`
  }
  return 'taken'
}

/** Calls in one another, and the name within them is a level too. */
const nested = (levels: number): string =>
  `  - { id: s, run: f, if: "${'to_array('.repeat(levels - 1)}input${')'.repeat(levels - 1)}" }`

describe('an expression', () => {
  it.each([
    ['no syntax', '  - { id: s, run: f, if: "input.[" }', 'EXPR_INVALID_SYNTAX /steps/0/if'],
    ['code', '  - { id: s, run: f, if: "eval(input)" }', 'EXPR_INVALID_SYNTAX /steps/0/if'],
    ['__proto__', `  - { id: s, run: f, with: { a: '\${input.__proto__}' } }`, 'EXPR_INVALID_SYNTAX /steps/0/with/a'],
    ['prototype', `  - { id: s, run: f, with: { a: '\${input.prototype}' } }`, 'EXPR_INVALID_SYNTAX /steps/0/with/a'],
    [
      'constructor',
      `  - { id: s, run: f, with: { a: '\${input.constructor}' } }`,
      'EXPR_INVALID_SYNTAX /steps/0/with/a',
    ],
    ['no step', '  - { id: s, run: f, if: "steps.t.output" }', 'EXPR_STEP_NOT_FOUND /steps/0/if'],
    [
      'a step it does not depend on',
      '  - { id: r, run: f, dependsOn: [] }\n  - { id: s, run: f, dependsOn: [], if: "steps.r.output" }',
      'EXPR_STEP_NOT_COMPLETED /steps/1/if',
    ],
    [
      'no field',
      '  - { id: r, run: f }\n  - { id: s, run: f, if: "steps.r.outptu" }',
      'EXPR_PATH_NOT_FOUND /steps/1/if',
    ],
    ['ten levels', nested(10), 'taken'],
    ['eleven levels', nested(11), 'EXPR_TOO_COMPLEX /steps/0/if'],
  ])('that names %s has its own answer [DFL-09]', (_, steps, expected) => {
    expect(refusal(steps)).toBe(expected)
  })

  it('takes its default where the path leads to nothing, and the value where it leads to one [DFL-09]', async () => {
    const seen: unknown[] = []
    const steps = { make: () => ({ here: 1 }), see: (input: unknown) => void seen.push(input) }
    await using keelson = await openKeelson({ directory: ':memory:', steps })
    const plan = loadPlan(
      planOf(`  - { id: a, run: make }
  - { id: b, run: see, with: { one: "\${steps.a.output.here || 'none'}", two: "\${steps.a.output.gone || 'none'}" } }`),
    )
    expect((await (await keelson.start(plan)).result()).status).toBe('COMPLETED')
    expect(seen).toEqual([{ one: 1, two: 'none' }])
  })
})
