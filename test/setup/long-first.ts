/**
 * The order of test files: the long ones first, by what they took when they were measured, so that no core is left alone with one at the
 * end; those that share a process last. `node scripts/test-durations.ts` writes down what the last whole run took; a folder, written with a
 * slash at its end, stands for those of its files that are newer.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const SECONDS = new Map(
  Object.entries(
    JSON.parse(readFileSync(join(import.meta.dirname, 'durations.json'), 'utf8')) as Readonly<Record<string, number>>,
  ),
)

/** Longer than any: who shares a process comes after those that do not, without one of them in between. */
const LAST_S = 1_000_000

/** What was never measured takes what others of its folder take. */
function secondsOf(path: string): number {
  return SECONDS.get(path) ?? SECONDS.get(`${dirname(path)}/`) ?? 0
}

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((one, other) => this.#seconds(other) - this.#seconds(one))
  }

  #seconds({ moduleId, project }: TestSpecification): number {
    const path = relative(this.ctx.config.root, moduleId).split(sep).join('/')
    return secondsOf(path) - (project.config.isolate ? 0 : LAST_S)
  }
}
