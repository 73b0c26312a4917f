/** The graph of a plan that no run is shown of. */
import type { ReactElement } from 'react'
import { GraphPane, type GraphPaneProps } from './graph-pane.tsx'

export type PlanPaneProps = Required<Pick<GraphPaneProps, 'graph' | 'selected' | 'drawnAs'>>

const NO_RUN = { status: 'PENDING', steps: [] } as const
const NOBODY = (): undefined => undefined

export function PlanPane(props: PlanPaneProps): ReactElement {
  return <GraphPane {...props} snapshot={NO_RUN} asOf={0} doneBy={NOBODY} />
}
