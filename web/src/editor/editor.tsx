/** The text on one side; what the core reads in it, and a run of it, on the other. */
import { useEffect, useMemo, useRef, useState, type ReactElement } from 'react'
import { compileGraph } from '../../../src/core/plan/compile/graph.ts'
import type { Position } from '../../../src/core/problems/problem.ts'
import { setQuery, useAddress } from '../address/address.ts'
import { CopyButton } from '../shown/copy-button.tsx'
import { CodeField } from './code-field.tsx'
import { DownloadButton } from './download-button.tsx'
import { EditorGraph } from './editor-graph.tsx'
import { keepText, keptText } from './kept-text.ts'
import { ProblemList } from './problem-list.tsx'
import { RunThis } from './run-this.tsx'
import { LINE_PX, offsetOf } from './text-places.ts'
import { useReading } from './use-reading.ts'
import { useServerCheck } from './use-server-check.ts'

export interface EditorProps {
  /** Under which what is written is kept. */
  readonly name: string
  /** The text that it began with. */
  readonly first: string
}

export function Editor({ name, first }: EditorProps): ReactElement {
  const [text, setText] = useState(() => keptText(name) ?? first)
  const { query } = useAddress()
  const field = useRef<HTMLTextAreaElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const reading = useReading(text)
  const check = useServerCheck(reading)
  const problems = reading.problems.length > 0 ? reading.problems : check.problems
  const { last } = reading
  const graph = useMemo(() => (last === undefined ? undefined : compileGraph(last)), [last])
  const step = query.get('step') ?? undefined
  useEffect(() => keepText(name, text === first ? undefined : text), [name, first, text])
  const goTo = (at: Position | undefined): void => show(field.current, text, at)
  useEffect(() => {
    if (step !== undefined) goTo(reading.placeOfStep(step))
  }, [step])
  return (
    <div className="editor-parts">
      <section className="editor-text" aria-label="Text">
        <CodeField
          text={text}
          problems={problems}
          field={field}
          onChange={setText}
          onRun={() => form.current?.requestSubmit()}
        />
        <div className="buttons">
          <CopyButton text={text} words="Copy the text" />
          <DownloadButton text={text} name={`${reading.plan?.metadata.planId ?? 'plan'}.yaml`} />
          {text === first ? null : (
            <button type="button" className="small" onClick={() => setText(first)}>
              Begin again
            </button>
          )}
          <span className="quiet">Ctrl+Space: fields · Ctrl+Enter: run this</span>
        </div>
        <ProblemList problems={problems} check={check} onGoTo={({ at }) => goTo(at)} />
      </section>
      <div className="editor-side">
        <EditorGraph
          graph={graph}
          isOfText={reading.plan !== undefined}
          run={query.get('run') ?? undefined}
          selected={step}
        />
        <RunThis
          form={form}
          reading={reading}
          isCurrent={reading.text === text && problems.length === 0}
          onStarted={(run) => setQuery({ run, step: undefined }, 'step')}
        />
      </div>
    </div>
  )
}

const LINES_ABOVE = 4

function show(field: HTMLTextAreaElement | null, text: string, at: Position | undefined): void {
  if (field === null || at === undefined) return
  const begin = offsetOf(text, at)
  field.focus()
  field.setSelectionRange(begin, begin + (at.length ?? 0))
  field.scrollTop = Math.max(0, at.line - LINES_ABOVE) * LINE_PX
}
