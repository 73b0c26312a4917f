/** Keeps what fails to load or to be drawn to its own place: the rest of the page stays, and says what happened and what to do. */
import { Component, type ReactNode } from 'react'
import { Trouble } from './trouble.tsx'

interface BoundaryProps {
  readonly children: ReactNode
}

interface BoundaryState {
  readonly thrown?: unknown
}

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = {}

  static getDerivedStateFromError(thrown: unknown): BoundaryState {
    return { thrown }
  }

  override render(): ReactNode {
    const { thrown } = this.state
    if (thrown === undefined) return this.props.children
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    const error = new Error(
      `This part of the page cannot be shown (${why}). If the server is away, try again when it is back.`,
    )
    // A part that the server does not have belongs to another version of the page: all of it is loaded anew.
    return <Trouble error={error} retry={() => window.location.reload()} />
  }
}
