/**
 * The secrets of one attempt: asked for just before the step is called, for the run's own tenant and environment, and made
 * known to the redactor before anybody can repeat them (SEC-02, SEC-04, SEC-10). Messages name references, never values.
 */
import type { RunIdentity } from '../../core/events/event.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Step } from '../../core/plan/plan.ts'
import { fail, KeelsonError, problem } from '../../core/problems/problem.ts'
import type { SecretsProvider, SecretValue } from '../../ports/secrets.ts'
import type { StepSecrets } from '../../ports/step-handlers.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { Services } from '../services.ts'

/** Shown by JSON, by Node's inspection and by nothing else (CTX-04). */
const HIDING: object = Object.freeze(
  Object.create(null, {
    toJSON: { value: () => '[secrets]' },
    toString: { value: () => '[secrets]' },
    [Symbol.for('nodejs.util.inspect.custom')]: { value: () => '[secrets]' },
  }),
)

export const NO_SECRETS: StepSecrets = Object.freeze(Object.create(HIDING) as StepSecrets)

async function resolveSecrets(
  secrets: SecretsProvider | undefined,
  identity: RunIdentity,
  step: Pick<Step, 'secrets' | 'stepId'>,
  /** Told the values before anybody else is. */
  hold: ((values: readonly string[]) => void) | undefined,
): Promise<StepSecrets> {
  if (step.secrets === undefined) return NO_SECRETS
  const names = Object.entries(step.secrets)
  if (names.length === 0) return NO_SECRETS
  const refs = [...new Set(names.map(([, ref]) => ref))]
  if (secrets === undefined || hold === undefined)
    return fail('SECRET_NOT_FOUND', `${refs.join(', ')}: this process has no secrets provider`)
  const { tenantId, projectId, environmentId, runId } = identity
  let found: ReadonlyMap<string, SecretValue>
  try {
    found = await secrets.resolve(refs, { tenantId, projectId, environmentId, runId })
  } catch (thrown) {
    if (thrown instanceof KeelsonError) throw thrown
    // What a provider says of its failure may quote what it was reading.
    throw new KeelsonError([problem('SECRET_UNAVAILABLE', `${refs.join(', ')} cannot be resolved now`)])
  }
  const missing = refs.filter((ref) => !found.has(ref))
  if (missing.length > 0) {
    const where = `tenant '${tenantId}', environment '${environmentId}'`
    fail('SECRET_NOT_FOUND', `${missing.join(', ')} of step '${step.stepId}' is not known for ${where}`)
  }
  // Every line of a secret is searched for in all that the run writes from now on.
  for (const [ref, { value }] of found)
    if (Buffer.byteLength(value) > LIMITS.secretBytes)
      fail('SECRET_TOO_LARGE', `${ref} of step '${step.stepId}' has more than ${LIMITS.secretBytes} bytes`)
  hold([...new Set([...found.values()].map(({ value }) => value))])
  return handedOver(names, found)
}

/** The secrets that one attempt was given: known to its run's redactor for as long as it is in flight, and longer. */
export class HeldSecrets {
  readonly #services: Pick<Services, 'secrets' | 'redactors'>
  readonly #run: LoadedRun
  readonly #releases: (() => void)[] = []

  constructor(services: Pick<Services, 'secrets' | 'redactors'>, run: LoadedRun) {
    this.#services = services
    this.#run = run
  }

  resolve(step: Pick<Step, 'secrets' | 'stepId'>): Promise<StepSecrets> {
    const { secrets, redactors } = this.#services
    const { identity, row } = this.#run
    const hold = (values: readonly string[]): void => {
      if (redactors !== undefined) this.#releases.push(redactors.hold(row.runKey, values))
    }
    return resolveSecrets(secrets, identity, step, redactors === undefined ? undefined : hold)
  }

  release(): void {
    if (this.#releases.length === 0) return
    for (const release of this.#releases.splice(0)) release()
  }
}

function handedOver(
  names: readonly (readonly [string, string])[],
  found: ReadonlyMap<string, SecretValue>,
): StepSecrets {
  const handed = Object.create(HIDING) as StepSecrets
  for (const [name, ref] of names) Object.defineProperty(handed, name, { get: () => found.get(ref)?.value })
  return Object.freeze(handed)
}

/** Were they rotated since? Then a refusal of the old ones says nothing about the new. */
export function sameSecrets(before: StepSecrets, after: StepSecrets): boolean {
  return Object.getOwnPropertyNames(before).every((name) => before[name] === after[name])
}
