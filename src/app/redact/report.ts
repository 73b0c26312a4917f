/** The result of an attempt, with every known secret masked: no code after this point sees one (SEC-03, SEC-08). */
import type { EffectOutcome } from '../../ports/engine.ts'
import { describeError } from './describe-error.ts'
import type { Redactor } from './redact.ts'

type Outcome = EffectOutcome['result']

export function redactReport(redactor: Redactor | undefined, result: Outcome): Outcome {
  if (redactor === undefined || !redactor.knowsAny) return result
  if (result.kind === 'completed') {
    const { output, artifactRefs } = result
    return { ...result, output: redactor.value(output), artifactRefs: redactor.value(artifactRefs) }
  }
  const { artifactRefs } = result
  // The error itself may hold anything (headers, a config, a cause): only its masked description is passed on.
  const described = describeError(result.thrown, result.aborted, redactor)
  return {
    ...result,
    thrown: null,
    described,
    ...(artifactRefs === undefined ? {} : { artifactRefs: redactor.value(artifactRefs) }),
  }
}
