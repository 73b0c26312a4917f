/**
 * A text with numbered lines and marks where something is wrong: a real text field with two layers that follow its scrolling, so that
 * writing, undoing, searching and reading aloud work as everywhere. Tab leaves it; Ctrl+Space offers what may be written.
 */
import { useId, useLayoutEffect, useRef, type KeyboardEvent, type ReactElement, type RefObject } from 'react'
import type { Problem } from '../../../src/core/problems/problem.ts'
import { CompletionList } from './completion-list.tsx'
import { indentAfter, lineCount, LINE_PX } from './text-places.ts'
import { insert, useOffers, type Offers } from './use-offers.ts'

export interface CodeFieldProps {
  readonly text: string
  readonly problems: readonly Problem[]
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly onChange: (text: string) => void
  readonly onRun: () => void
}

export function CodeField({ text, problems, field, onChange, onRun }: CodeFieldProps): ReactElement {
  const marks = useRef<HTMLDivElement>(null)
  const numbers = useRef<HTMLPreElement>(null)
  const list = useId()
  const offers = useOffers(text, field)
  const { offered } = offers
  const follow = (): void => {
    const { scrollTop = 0, scrollLeft = 0 } = field.current ?? {}
    if (marks.current !== null) marks.current.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`
    if (numbers.current !== null) numbers.current.style.transform = `translateY(${-scrollTop}px)`
  }
  useLayoutEffect(follow, [text])
  return (
    <div className="code-field">
      <div className="code-numbers" aria-hidden="true">
        <pre ref={numbers}>{Array.from({ length: lineCount(text) }, (_, at) => at + 1).join('\n')}</pre>
      </div>
      <div className="code-text">
        <div className="code-layers" ref={marks} aria-hidden="true">
          <Marks problems={problems} />
        </div>
        <textarea
          ref={field}
          aria-label="Text of the plan"
          aria-invalid={problems.length > 0}
          aria-autocomplete="list"
          aria-controls={offered === undefined ? undefined : list}
          aria-activedescendant={offered === undefined ? undefined : `${list}-${offered.chosen}`}
          value={text}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
          onScroll={follow}
          onKeyDown={(event) => pressed(event, offers, onRun)}
          onBlur={offers.close}
        />
        {offered === undefined ? null : <CompletionList id={list} {...offered} onTake={offers.take} />}
      </div>
    </div>
  )
}

/** No mark is longer than a line that one can see. */
const LONGEST = 120

function Marks({ problems }: { readonly problems: readonly Problem[] }): ReactElement {
  return (
    <>
      {problems.map(({ at, code }, index) =>
        at === undefined ? null : (
          <span
            key={`${index} ${code}`}
            className="code-mark"
            style={{
              top: (at.line - 1) * LINE_PX,
              left: `${at.column - 1}ch`,
              width: `${Math.max(1, Math.min(at.length ?? 1, LONGEST))}ch`,
            }}
          />
        ),
      )}
    </>
  )
}

function pressed(event: KeyboardEvent<HTMLTextAreaElement>, offers: Offers, onRun: () => void): void {
  const act = event.nativeEvent.isComposing ? undefined : actOf(event, offers, onRun)
  if (act === undefined) return
  event.preventDefault()
  act()
}

/** Undefined: the key does what it does in every field. */
function actOf(event: KeyboardEvent<HTMLTextAreaElement>, offers: Offers, onRun: () => void): (() => void) | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey, currentTarget } = event
  if ((ctrlKey || metaKey) && key === 'Enter') return onRun
  if (ctrlKey && key === ' ') return offers.open
  if (ctrlKey || metaKey || altKey || shiftKey) return undefined
  const { offered, choose, take, close } = offers
  if (offered !== undefined) {
    if (key === 'ArrowDown') return () => choose(offered.chosen + 1)
    if (key === 'ArrowUp') return () => choose(offered.chosen - 1)
    if (key === 'Enter') return () => take(offered.chosen)
    if (key === 'Escape') return close
  }
  const { value, selectionStart } = currentTarget
  return key === 'Enter' ? () => insert(`\n${indentAfter(value, selectionStart)}`) : undefined
}
