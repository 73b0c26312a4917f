/**
 * The secrets of one attempt: asked for just before the step is called, for the run's own tenant and environment, and made
 * known to the redactor before anybody can repeat them (SEC-02, SEC-04, SEC-10). Messages name references, never values.
 */
import type { RunIdentity } from '../core/events/event.ts'
import type { Step } from '../core/plan/plan.ts'
import { fail, KeelsonError, problem } from '../core/problems/problem.ts'
import type { SecretValue } from '../ports/secrets.ts'
import type { StepSecrets } from '../ports/step-handlers.ts'
import type { Services } from './services.ts'

/** Shown by JSON, by Node's inspection and by nothing else (CTX-04). */
const HIDING: object = Object.freeze(
  Object.create(null, {
    toJSON: { value: () => '[secrets]' },
    toString: { value: () => '[secrets]' },
    [Symbol.for('nodejs.util.inspect.custom')]: { value: () => '[secrets]' },
  }),
)

export const NO_SECRETS: StepSecrets = Object.freeze(Object.create(HIDING) as StepSecrets)

export async function resolveSecrets(
  { secrets, redactor }: Pick<Services, 'secrets' | 'redactor'>,
  identity: RunIdentity,
  step: Pick<Step, 'secrets' | 'stepId'>,
): Promise<StepSecrets> {
  if (step.secrets === undefined) return NO_SECRETS
  const names = Object.entries(step.secrets)
  if (names.length === 0) return NO_SECRETS
  const refs = [...new Set(names.map(([, ref]) => ref))]
  if (secrets === undefined || redactor === undefined)
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
  for (const { value } of found.values()) redactor.learn(value)
  return handedOver(names, found)
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
