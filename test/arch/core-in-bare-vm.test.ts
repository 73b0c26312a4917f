/** The core runs where there is nothing but the language: bundled whole, in a context without a single Node global. */
import { createContext, runInContext, type Context } from 'node:vm'
import { rolldown } from 'rolldown'
import { beforeAll, expect, it } from 'vitest'
import { productFiles } from '../../scripts/repository.ts'
import { ROOT } from '../../scripts/terminal.ts'
import { parsePlan } from '../../src/core/plan/compile/parse-plan.ts'

const PLAN = `plan: order
version: '1'
steps:
  - id: charge
    run: chargeCard
  - id: pack
    run: packItem
    dependsOn: [charge]
`
const MISSPELT = PLAN.replace('[charge]', '[chrage]')

const EVENTS = ['RunApproved', 'RunStarted', 'RunPaused', 'RunResumed', 'RunCancelled'].map((eventType, index) => ({
  runSeq: index + 1,
  eventType,
  slot: 'RUN',
  attempt: 1,
  engineAttempt: 1,
  at: 1_000 * index,
  payload: {},
}))

const ENTRY = '\0every-core-module'

/** One script that evaluates every module of the core and offers them by path. */
async function bundleCore(): Promise<string> {
  const files = productFiles('src/core')
  const entry = [
    ...files.map((path, index) => `import * as module${index} from ${JSON.stringify(`${ROOT}/${path}`)}`),
    `export const modules = { ${files.map((path, index) => `${JSON.stringify(path)}: module${index}`).join(', ')} }`,
  ].join('\n')
  const bundle = await rolldown({
    input: 'core',
    platform: 'browser',
    plugins: [
      {
        name: 'every-core-module',
        resolveId: (id) => (id === 'core' ? ENTRY : undefined),
        load: (id) => (id === ENTRY ? entry : undefined),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'core' })
  await bundle.close()
  return output[0].code
}

let code = ''
beforeAll(async () => {
  code = await bundleCore()
})

/** The language without its console, with a clock and dice that throw when anybody looks at them. */
function bareContext(): Context {
  const context = createContext({})
  runInContext(
    `delete globalThis.console; delete globalThis.WebAssembly
     Date = class { constructor() { throw new Error('the clock was read') } static now() { throw new Error('the clock was read') } }
     Math.random = () => { throw new Error('dice were thrown') }`,
    context,
  )
  return context
}

function inBareContext<T>(expression: string): T {
  const context = bareContext()
  runInContext(code, context)
  return JSON.parse(String(runInContext(`JSON.stringify(${expression})`, context))) as T
}

it('the context really is bare', () => {
  const names = ['process', 'console', 'setTimeout', 'fetch', 'Buffer', 'require', 'URL', 'TextEncoder']
  const context = bareContext()
  expect(() => runInContext('Date.now()', context)).toThrow('the clock was read')
  expect(names.map((name) => runInContext(`typeof ${name}`, context))).toEqual(names.map(() => 'undefined'))
})

it('every module of the core loads there', () => {
  const loaded = inBareContext<readonly string[]>('Object.keys(core.modules)')
  expect(loaded).toEqual(productFiles('src/core'))
})

it('a plan is parsed and its mistakes are told there as under Node', () => {
  const options = { file: 'order.yaml' }
  const inside = inBareContext<{ readonly text: string; readonly mistakes: unknown }>(
    `(() => {
      const { parsePlan } = core.modules['src/core/plan/compile/parse-plan.ts']
      const good = parsePlan(${JSON.stringify(PLAN)}, ${JSON.stringify(options)})
      const bad = parsePlan(${JSON.stringify(MISSPELT)}, ${JSON.stringify(options)})
      return { text: good.ok ? good.value.text : '', mistakes: bad.ok ? [] : bad.problems }
    })()`,
  )
  const good = parsePlan(PLAN, options)
  const bad = parsePlan(MISSPELT, options)
  expect(inside.text).toBe(good.ok ? good.value.text : 'refused')
  expect(inside.mistakes).toEqual(bad.ok ? [] : JSON.parse(JSON.stringify(bad.problems)))
  expect(inside.mistakes).toHaveLength(1)
})

it('events are folded there', () => {
  const statuses = inBareContext<readonly string[]>(
    `(() => {
      const { parsePlan } = core.modules['src/core/plan/compile/parse-plan.ts']
      const { compileGraph } = core.modules['src/core/plan/compile/graph.ts']
      const { initialState } = core.modules['src/core/run/state/initial-state.ts']
      const { evolve } = core.modules['src/core/run/evolve/evolve.ts']
      let state = initialState(compileGraph(parsePlan(${JSON.stringify(PLAN)}).value.plan))
      return ${JSON.stringify(EVENTS)}.map((event) => (state = evolve(state, event)).status)
    })()`,
  )
  expect(statuses).toEqual(['APPROVED', 'RUNNING', 'PAUSED', 'RUNNING', 'CANCELLED'])
})

it('nothing of Node is left in the bundle', () => {
  expect(code).not.toMatch(/\brequire\(|from ["']node:|import\(/)
})
