/** Which folds are open, in the address (`?open=3.load,4.check`, or `?open=all`), and what is drawn because of it. */
import { useCallback, useMemo } from 'react'
import type { PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import { setQuery, useAddress } from '../address/address.ts'
import { cellsOf, DRAWN_WHOLE, foldsAround } from './fold-steps.ts'
import { layOut, type Drawing } from './graph-layout.ts'

const ALL = 'all'

export interface Folds {
  readonly drawing: Drawing
  /** The plan has so many steps that they are folded. */
  readonly hasFolds: boolean
  /** Undefined: all. */
  readonly open: ReadonlySet<string> | undefined
  readonly setOpen: (open: ReadonlySet<string> | 'all') => void
  /** What has to be open for a step to be drawn, as the address says it; undefined: what is open is enough. */
  readonly openFor: (stepId: string) => string | undefined
}

export function useFolds(graph: PlanGraph): Folds {
  const asked = useAddress().query.get('open') ?? ''
  const open = useMemo(() => (asked === ALL ? undefined : new Set(asked.split(',').filter(Boolean))), [asked])
  const drawing = useMemo(() => layOut(graph, cellsOf(graph, open ?? new Set(), open === undefined)), [graph, open])
  const setOpen = useCallback((wanted: ReadonlySet<string> | 'all'): void => {
    setQuery({ open: wanted === ALL ? ALL : [...wanted].join(',') }, 'step')
  }, [])
  const openFor = (stepId: string): string | undefined =>
    open === undefined ? ALL : [...new Set([...open, ...foldsAround(graph, stepId)])].join(',')
  return { drawing, hasFolds: graph.steps.length > DRAWN_WHOLE, open, setOpen, openFor }
}
