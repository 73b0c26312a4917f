/**
 * What `keelson run` starts: a plan file with the child plans beside it, or a published plan with those that it can
 * reach.
 */
import { fail } from '../../../core/problems/problem.ts'
import type { PlanName } from '../../../core/plan/format/plan-name.ts'
import type { Options } from '../terminal/command.ts'
import { childPlanFiles } from '../files/child-files.ts'
import type { UnusedFile } from '../output/reach.ts'
import { readPlanFile, type PlanFile } from '../files/plan-file.ts'
import { openToExamine } from '../open/session.ts'

export interface PlanToRun {
  readonly file: PlanFile
  readonly children: readonly PlanFile[]
  /** Beside it, and not what its steps mean. */
  readonly unused?: readonly UnusedFile[]
  /** It is published, and this is the name of exactly these bytes. */
  readonly name?: PlanName
}

export async function planToRun(path: string | undefined, options: Options): Promise<PlanToRun> {
  const given = options.text('planId')
  if ((path === undefined) === (given === undefined))
    fail('USAGE', 'name a plan file, or a published plan by --plan-id: one of them')
  const pinned = pinnedHash(options)
  if (given === undefined) {
    const file = readPlanFile(path ?? '', pinned)
    const { used: children, unused } = childPlanFiles(file)
    return { file, children, unused }
  }
  if (pinned !== undefined) fail('USAGE', '--sha256 is for a plan file; pin a published plan by <id>@sha256:<hash>')
  const name = parseName(given)
  const keelson = await openToExamine(options)
  try {
    const [first, ...rest] = (await keelson.published(name)).map(({ plan, sha256 }): PlanFile => {
      const { planId, planVersion } = plan.metadata
      const text = JSON.stringify(plan)
      return { path: `${planId}@${planVersion}`, text, compiled: { plan, sha256, text } }
    })
    if (first === undefined) return fail('PLAN_NOT_FOUND', `no plan ${given} is published here`)
    const { planId, planVersion } = first.compiled.plan.metadata
    return { file: first, children: rest, name: { planId, planVersion, sha256: first.compiled.sha256 } }
  } finally {
    await keelson.close()
  }
}

/** Of the bytes of the plan file. */
export function pinnedHash(options: Options): string | undefined {
  const given = options.text('sha256')
  if (given === undefined || /^[0-9a-f]{64}$/.test(given)) return given
  return fail(
    'USAGE',
    `--sha256 must be 64 lower-case hexadecimal digits, as \`keelson plan hash\` and sha256sum give them`,
  )
}

const NAME = /^([^@]+)(?:@(?!sha256:)([^@]+))?(?:@sha256:([^@]+))?$/

/** `order`, `order@1.4.0`, `order@sha256:…` or `order@1.4.0@sha256:…`. */
export function parseName(given: string): PlanName {
  const [, planId, planVersion, sha256] = NAME.exec(given) ?? []
  if (planId === undefined)
    return fail('USAGE', `'${given}' is not the name of a plan; write <id>, <id>@<version> or <id>@sha256:<hash>`)
  return {
    planId,
    ...(planVersion === undefined ? {} : { planVersion }),
    ...(sha256 === undefined ? {} : { sha256 }),
  }
}
