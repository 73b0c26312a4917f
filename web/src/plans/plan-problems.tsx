/** What the engines of this server would refuse or do otherwise than natively: the core's own check, made in the page for each of them. */
import type { ReactElement } from 'react'
import { ADAPTERS } from '../../../src/core/engine/capabilities.ts'
import { checkCapabilities } from '../../../src/core/engine/check-capabilities.ts'
import { StateMark } from '../shown/state-mark.tsx'
import { look } from '../shown/states.ts'
import type { Engine, ReadPlan } from './use-plan.ts'

interface EngineProblem {
  readonly engine: string
  readonly code: string
  readonly message: string
  readonly isRefused: boolean
}

export function problemsOf({ plan, engines }: Pick<ReadPlan, 'plan' | 'engines'>): readonly EngineProblem[] {
  return engines.flatMap(({ engine }) => {
    const known = Object.entries(ADAPTERS).find(([name]) => name === engine)?.[1]
    if (known === undefined) return []
    const { errors, warnings } = checkCapabilities(plan, known, { generatedAt: new Date().toISOString() })
    return [
      ...errors.map(({ code, message }) => ({ engine, code, message, isRefused: true })),
      ...warnings.map(({ code, message }) => ({ engine, code, message, isRefused: false })),
    ]
  })
}

const REFUSED = look('refused', 'cross', 'bad')
const WARNED = look('warning', 'disc', 'held')

export interface PlanProblemsProps {
  readonly problems: readonly EngineProblem[]
  readonly engines: readonly Engine[]
}

export function PlanProblems({ problems, engines }: PlanProblemsProps): ReactElement {
  const names = engines.map(({ engine }) => engine).join(' and ')
  if (problems.length === 0)
    return (
      <p className="quiet">
        None: it was published, so it can be read, and {names} can do all it needs. What no worker can do shows at a
        run.
      </p>
    )
  return (
    <ul className="problem-list" aria-label="Problems">
      {problems.map(({ engine, code, message, isRefused }) => {
        const shown = isRefused ? REFUSED : WARNED
        return (
          <li key={`${engine} ${code} ${message}`}>
            <StateMark look={shown} /> <span className="sr-only">{shown.word}: </span>
            <code className={isRefused ? 'code' : 'hint'}>{code}</code> on {engine}: {message}
          </li>
        )
      })}
    </ul>
  )
}
