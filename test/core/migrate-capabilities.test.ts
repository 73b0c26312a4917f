/** A live run is moved only to an engine on which its plan could have been started; otherwise nothing of it is changed. */
import { describe, expect, it } from 'vitest'
import { loadPlan, openKeelson, type RunHandle } from '../../src/main.ts'
import { temporal } from '../../src/adapters/engines/temporal/engine.ts'

/** Nobody answers there: a plan that may be moved gets as far as to ask. */
const NOBODY = '127.0.0.1:1'

async function moved(plan: string): Promise<{ readonly thrown: unknown; readonly changed: boolean }> {
  let goOn = (): void => undefined
  const held = new Promise<void>((resolve) => (goOn = resolve))
  const steps = { hold: async () => await held }
  const engines = [temporal({ address: NOBODY, connectTimeoutMs: 300, worker: false })]
  await using keelson = await openKeelson({ directory: ':memory:', steps, engines })
  const run = await keelson.start(loadPlan(`${plan}\nversion: 1.0.0\nsteps: [{ id: a, run: hold }]`))
  const before = await logOf(run)
  const thrown: unknown = await keelson.migrate(run.runId, { to: 'temporal' }).catch((error: unknown) => error)
  const changed = (await logOf(run)) !== before
  goOn()
  expect((await run.result()).status).toBe('COMPLETED')
  return { thrown, changed }
}

const logOf = async (run: RunHandle): Promise<string> => JSON.stringify(await run.records())

describe('a migration', () => {
  it('is refused when the other engine lacks what the plan requires, with the report of a start [CAP-02, CAP-06]', async () => {
    const { thrown, changed } = await moved('plan: p\nrequires: [cancel.forced]')
    expect(thrown).toMatchObject({
      code: 'PLAN_VALIDATION_FAILED',
      problems: [
        {
          details: {
            report: {
              status: 'ERRORS',
              targetAdapter: 'temporal',
              errors: [{ code: 'CAPABILITY_NOT_SUPPORTED', capability: 'cancel.forced' }],
            },
          },
        },
      ],
    })
    expect(changed).toBe(false)
  })

  it('is refused when the plan is meant for the engine it is on [ENG-12]', async () => {
    const { thrown, changed } = await moved('plan: p\nmetadata: { targetAdapter: embedded }')
    expect(thrown).toMatchObject({ code: 'INVALID_TARGET_ADAPTER' })
    expect(changed).toBe(false)
  })

  it('goes on when the plan may do without: here as far as the server that does not answer', async () => {
    for (const plan of ['plan: p', 'plan: p\nrequires: [cancel.forced]\nmetadata: { fallbackBehavior: degrade }']) {
      const { thrown, changed } = await moved(plan)
      expect(thrown).toMatchObject({ code: 'TEMPORAL_CLIENT_NOT_CONNECTED' })
      expect(changed).toBe(false)
    }
  })
})
