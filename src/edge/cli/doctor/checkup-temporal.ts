/**
 * What `keelson doctor` says of the Temporal server that TEMPORAL_ADDRESS names: whether it answers, and if not, why.
 */
import { KeelsonError } from '../../../core/problems/problem.ts'
import { REGISTRY } from '../../../core/problems/registry.ts'
import { checkTemporal } from '../../../compose/temporal-engine.ts'
import type { Finding } from './finding.ts'

export async function temporalFinding(): Promise<Finding> {
  try {
    return { name: 'temporal', health: 'well', says: `answers at ${await checkTemporal()}` }
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    const { code, problems } = thrown
    const todo = problems[0].hint ?? REGISTRY[code].todo
    return { name: 'temporal', health: 'bad', says: `${code}  ${problems[0].message}`, todo }
  }
}
