/** Faults planted where a name leads to a plan: whose it is, what it is pinned to, and when that is settled. */
import type { Mutant } from './mutant.ts'

export const PLANS: readonly Mutant[] = [
  {
    name: "another tenant's plan is found by its id",
    file: 'adapters/stores/memory/plans.ts',
    find: 'one.tenantId === tenantId &&\n      one.planId === planId &&',
    replace: 'one.planId === planId &&',
  },
  {
    name: "another tenant's plan is found by its hash",
    file: 'app/plans/load.ts',
    find: 'return this.#stored.get(sha256 + tenantId) === undefined ? undefined : this.#compiled.get(sha256)',
    replace: 'return this.#compiled.get(sha256)',
    catcher: 'test/security/plans.test.ts',
  },
  {
    name: 'a child plan is looked up anew when the child starts',
    file: 'app/start/start-child.ts',
    find: 'if (state.children !== null) return state.children',
    replace: '',
  },
  {
    name: 'what was admitted is forgotten by the start',
    file: 'core/run/decide/start.ts',
    find: 'const children = ws.state.children ?? input.details.children',
    replace: 'const { children } = input.details',
    catcher: 'test/security/pinned-children.test.ts',
  },
  {
    name: 'a pin is not compared',
    file: 'core/plan/compile/child-plans.ts',
    find: 'if (ref.sha256 !== undefined) return ref.sha256',
    replace: '',
    catcher: 'test/security/plans.test.ts',
  },
  {
    name: 'the bytes of a plan need not say its name',
    file: 'app/plans/resolve.ts',
    find: 'const wrong = mismatch(ref, found.plan)',
    replace: 'const wrong = undefined as string | undefined',
    catcher: 'test/security/plans.test.ts',
  },
  {
    name: 'a version may mean two plans',
    file: 'adapters/stores/memory/plans.ts',
    find: "if (other !== undefined && !replaceVersion) return { kind: 'version-exists', sha256: other.sha256 }",
    replace: '',
    catcher: 'test/suites/memory.test.ts',
  },
]
