/** The bytes of an artifact, for whoever may read the run whose log refers to it. */
import * as api from '../../../core/api/execution-log.ts'
import { fail } from '../../../core/problems/problem.ts'
import { servicesOf } from '../../../library/services-of.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'

export const ARTIFACTS: readonly BoundRoute[] = [
  bind(api.getArtifact, async ({ keelson, caller, params }) => {
    const { executionId, artifactSha256 } = params
    const run = await keelson.run(executionId)
    const found = (await run.artifacts()).find(({ sha256 }) => sha256 === artifactSha256)
    const { artifacts } = servicesOf(keelson)
    if (found === undefined || artifacts === undefined)
      return fail('ARTIFACT_NOT_FOUND', `run ${executionId} refers to no artifact ${artifactSha256} that is kept here`)
    const chunks = artifacts.read({ tenantId: caller.tenantId, runId: run.runId }, found)
    const name = /\?name=([\w.%-]{1,300})$/.exec(found.uri)?.[1] ?? artifactSha256
    return {
      headers: { 'content-disposition': `attachment; filename*=UTF-8''${name}` },
      text: { type: 'application/octet-stream', chunks },
      target: `${run.runId} ${artifactSha256}`,
    }
  }),
]
