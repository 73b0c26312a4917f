/**
 * DBOS Transact on PostgreSQL: plain workflows whose handle is awaited in the process that runs them, its quickest way,
 * with a pool of twenty connections and without telemetry.
 */
import { CHAIN_STEPS, FAN_STEPS, TEN, type Contender, type Work } from './contender.ts'
import { importPeer } from './peers.ts'

type Body = () => Promise<number>

/** What the race uses of the package, which is not a dependency of ours. */
interface Dbos {
  setConfig(config: Readonly<Record<string, unknown>>): void
  launch(): Promise<void>
  shutdown(): Promise<void>
  registerWorkflow(body: Body, options: { readonly name: string }): Body
  runStep(work: Work, options: { readonly name: string }): Promise<number>
  startWorkflow(body: Body): () => Promise<{ getResult(): Promise<number> }>
}

const CONNECTIONS = 20

export async function dbosOnPostgres(place: string, work: Work): Promise<Contender> {
  const { DBOS } = await importPeer<{ readonly DBOS: Dbos }>('@dbos-inc/dbos-sdk')
  const step = (index: number): Promise<number> => DBOS.runStep(work, { name: `step-${index}` })
  const chained = (steps: number) => async (): Promise<number> => {
    for (let index = 0; index < steps; index += 1) await step(index)
    return steps
  }
  const parallel = async (): Promise<number> =>
    (await Promise.all(Array.from({ length: FAN_STEPS }, (_, index) => step(index)))).length
  const workflow = (name: string, body: Body): (() => Promise<unknown>) => {
    const registered = DBOS.registerWorkflow(body, { name })
    return async () => (await DBOS.startWorkflow(registered)()).getResult()
  }
  const contender = {
    oneStep: workflow('oneStep', chained(1)),
    tenSteps: workflow('tenSteps', chained(TEN)),
    chain: workflow('chain', chained(CHAIN_STEPS)),
    fan: workflow('fan', parallel),
    close: () => DBOS.shutdown(),
  }
  DBOS.setConfig({
    name: 'race',
    systemDatabaseUrl: place,
    systemDatabasePoolSize: CONNECTIONS,
    logLevel: 'error',
    enableOTLP: false,
  })
  await DBOS.launch()
  return contender
}
