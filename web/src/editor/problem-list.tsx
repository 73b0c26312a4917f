/** The problems of a text: where, what, and on demand the page of the code. A place is a button that leads there. */
import { useState, type ReactElement } from 'react'
import type { Problem } from '../../../src/core/problems/problem.ts'
import { REGISTRY } from '../../../src/core/problems/registry.ts'
import { Trouble } from '../shown/trouble.tsx'
import { plural } from '../shown/words.ts'
import type { ServerCheck } from './use-server-check.ts'

export interface ProblemListProps {
  readonly problems: readonly Problem[]
  readonly check: ServerCheck
  readonly onGoTo: (problem: Problem) => void
}

export function ProblemList({ problems, check, onGoTo }: ProblemListProps): ReactElement {
  return (
    <section aria-label="Problems" className="editor-problems">
      <p role="status" aria-label="State of the text">
        {stateOf(problems, check)}
      </p>
      {check.error === undefined ? null : <Trouble error={check.error} />}
      <ol className="problem-list">
        {problems.map((problem, at) => (
          <OneProblem key={`${at} ${problem.code} ${problem.message}`} problem={problem} onGoTo={onGoTo} />
        ))}
      </ol>
    </section>
  )
}

function stateOf(problems: readonly Problem[], { state, error }: ServerCheck): string {
  if (problems.length > 0) return plural(problems.length, 'problem')
  if (state === 'asking') return 'No problem here; the server checks expressions and schemas …'
  return error === undefined ? 'No problem.' : 'No problem here; the server could not check the rest.'
}

function OneProblem({
  problem,
  onGoTo,
}: { readonly problem: Problem } & Pick<ProblemListProps, 'onGoTo'>): ReactElement {
  const { code, message, hint, at } = problem
  const [isOpen, setOpen] = useState(false)
  const { title, did, todo } = REGISTRY[code]
  return (
    <li>
      {at === undefined ? null : (
        <button
          type="button"
          className="small place"
          aria-label={`Go to line ${at.line}, column ${at.column}`}
          onClick={() => onGoTo(problem)}
        >
          {at.line}:{at.column}
        </button>
      )}{' '}
      <code className="code">{code}</code> {message}
      {hint === undefined ? null : <span className="hint"> {hint}</span>}{' '}
      <button
        type="button"
        className="small"
        aria-expanded={isOpen}
        aria-label={`About ${code}`}
        onClick={() => setOpen(!isOpen)}
      >
        ?
      </button>
      {isOpen ? (
        <div className="about-code">
          <p>
            <strong>{title}</strong>
          </p>
          <p>{did}</p>
          <p>{todo}</p>
          <p className="quiet">
            <code>keelson help {code}</code>
          </p>
        </div>
      ) : null}
    </li>
  )
}
