/**
 * One version, one plan: a changed plan under an existing version is refused, unless `--replace-version` says
 * otherwise. In a person's own state folder it is allowed with a note, because nobody else relies on it there.
 */
import type { CompiledPlan } from '../../../app/plans/compile.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import type { Options } from '../terminal/command.ts'
import { storeUrl } from '../files/place.ts'
import type { Terminal } from '../terminal/terminal.ts'

export class VersionKeeper {
  readonly #mayReplace: boolean
  readonly #terminal: Terminal
  readonly #told = new Set<string>()

  /** `isTrial`: a run for oneself. Publishing is for others. */
  constructor(options: Options, terminal: Terminal, { isTrial }: { readonly isTrial: boolean }) {
    this.#mayReplace = options.flag('replaceVersion') || (isTrial && storeUrl(options) === undefined)
    this.#terminal = terminal
  }

  /** Acts, and acts again as a replacement where that is needed and allowed. */
  async keep<T>(plan: CompiledPlan, act: (how: { readonly replaceVersion?: boolean }) => Promise<T>): Promise<T> {
    try {
      return await act({})
    } catch (thrown) {
      const isOther = thrown instanceof KeelsonError && thrown.code === 'PLAN_VERSION_EXISTS'
      if (!isOther || !this.#mayReplace) throw thrown
      this.#tell(plan)
      return act({ replaceVersion: true })
    }
  }

  #tell({ plan, sha256 }: CompiledPlan): void {
    if (this.#told.has(sha256)) return
    this.#told.add(sha256)
    const { planId, planVersion } = plan.metadata
    this.#terminal.errorLine(
      `note: ${planId} ${planVersion} is another plan than before under the same version, and takes its place from now on; ` +
        'runs that have started keep theirs. Give it another version before others rely on it.',
    )
  }
}
