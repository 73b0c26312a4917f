/** What an attempt came to, with every known secret masked: nothing behind this point has ever seen one (SEC-03, SEC-08). */
import type { EffectReport } from '../ports/engine.ts'
import { describeError } from './describe-error.ts'
import type { Redactor } from './redact.ts'

type Outcome = EffectReport['result']

export function redactReport(redactor: Redactor | undefined, result: Outcome): Outcome {
  if (redactor === undefined || !redactor.knowsAny) return result
  if (result.kind === 'completed') {
    const { output, artifactRefs } = result
    return { ...result, output: redactor.value(output), artifactRefs: redactor.value(artifactRefs) }
  }
  const { artifactRefs } = result
  // The error itself may hold anything (headers, a config, a cause): only its masked description goes on.
  const described = describeError(result.thrown, result.aborted, (text) => redactor.text(text))
  return {
    ...result,
    thrown: null,
    described,
    ...(artifactRefs === undefined ? {} : { artifactRefs: redactor.value(artifactRefs) }),
  }
}
