/** What a log keeps of the report on a plan and its engine (CAP-03, CAP-11). */
import { LIMITS } from '../limits.ts'
import { flag, list, object, oneOf, optional, text, type Shape } from '../schema/shape.ts'

const name = text({ min: 1, max: LIMITS.nameBytes })
export const engineType = oneOf('temporal', 'conductor', 'mock', 'embedded')
/** As a plan writes it: up to 128 characters. */
const capability = text({ max: 512 })
export const finding = object({ code: name, message: text(), capability: optional(capability) })

/** All but status, plan and version, which the event and the run say. What is optional is absent in logs of earlier versions. */
export const reportFields = (instant: Shape<string>) => ({
  errors: list(finding),
  warnings: list(finding),
  generatedAt: optional(instant),
  targetAdapter: optional(engineType),
  adapterVersion: optional(name),
  adapterCapabilities: optional(list(capability)),
  capabilityChecks: optional(
    list(
      object({
        capability,
        supported: flag(),
        adapterSupport: optional(oneOf('native', 'emulated', 'degraded')),
        recommendation: optional(text()),
      }),
    ),
  ),
  remediation: optional(
    object({
      suggestedFallbackBehavior: optional(oneOf('emulate', 'degrade')),
      suggestedCapabilities: optional(list(capability)),
      suggestedTargetAdapter: optional(engineType),
    }),
  ),
})
