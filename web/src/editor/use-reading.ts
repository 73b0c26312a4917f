/**
 * The plan as it is being written, read by the core's own parser in the page: every problem at its line and column, without asking
 * anybody. Not in a worker: the page's policy lets nothing become a script, and a text that is long is read once its writer pauses.
 */
import { useEffect, useState } from 'react'
import { readPlan, sortProblems } from '../../../src/core/plan/compile/parse-plan.ts'
import type { Plan } from '../../../src/core/plan/plan.ts'
import type { Position, Problem } from '../../../src/core/problems/problem.ts'

export interface Reading {
  /** The text that was read. */
  readonly text: string
  /** Absent while there are problems. */
  readonly plan: Plan | undefined
  /** The one before there were problems: a letter that is missing for a moment takes nothing away. */
  readonly last: Plan | undefined
  readonly problems: readonly Problem[]
  readonly placeOfStep: (stepId: string) => Position | undefined
}

const LONG_CHARS = 60_000
const SOON_MS = 60
const PAUSE_MS = 500

export function useReading(text: string): Reading {
  const [reading, setReading] = useState(() => readText(text))
  useEffect(() => {
    if (reading.text === text) return undefined
    const read = (): void => setReading(({ last }) => readText(text, last))
    const timer = setTimeout(read, text.length > LONG_CHARS ? PAUSE_MS : SOON_MS)
    return () => clearTimeout(timer)
  }, [text, reading])
  return reading
}

function readText(text: string, before?: Plan): Reading {
  const { plan, problems, outline, positionOf } = readPlan(text, {})
  const at = (stepId: string): Position | undefined => positionOf(`/steps/${outline?.indexOf.get(stepId) ?? -1}`)
  return { text, plan, last: plan ?? before, problems: sortProblems(problems), placeOfStep: at }
}
