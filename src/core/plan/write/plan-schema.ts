/**
 * The JSON Schema 2020-12 of the author's document, made from the tables that the parser uses. Editors use it; it says
 * everything except the rules between steps.
 */
import { document } from '../compile/compile-document.ts'
import { isSection, type Section } from '../format/fields.ts'
import type { SchemaFragment } from '../format/kind.ts'
import { ACTION_FIELDS, step, UNDOING_FIELDS } from '../format/step-fields.ts'

export interface PlanSection extends Section {
  readonly schema: SchemaFragment
}

/** Every object of the format by name, in the order of a reader. */
export function planSections(): readonly PlanSection[] {
  const found = new Map<string, PlanSection>([['plan document', { ...document, name: 'plan document' }]])
  const visit = (section: PlanSection): void => {
    for (const { kind } of Object.values(section.fields)) {
      for (const candidate of [kind, kind.of]) {
        if (candidate === undefined || !isSection(candidate) || found.has(candidate.name)) continue
        const next = { ...candidate, schema: candidate.schema }
        found.set(next.name, next)
        visit(next)
      }
    }
  }
  visit(document)
  found.set('step', step)
  visit(step)
  return [...found.values()]
}

export function planSchema(): SchemaFragment {
  const defs = planSections().flatMap((section) =>
    section.name === 'plan document' ? [] : [[section.name, { ...section.schema, ...ruleOf(section.name) }]],
  )
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Keelson plan',
    ...document.schema,
    allOf: [
      eitherOf(['plan'], { metadata: { required: ['planId'] } }),
      eitherOf(['version'], { metadata: { required: ['planVersion'] } }),
    ],
    $defs: Object.fromEntries(defs),
  }
}

function eitherOf(short: readonly string[], full: Readonly<Record<string, SchemaFragment>>): SchemaFragment {
  return { oneOf: [{ required: short }, { required: Object.keys(full), properties: full }] }
}

function ruleOf(section: string): SchemaFragment {
  if (section === 'step')
    return { allOf: [oneField(['id', 'stepId']), { anyOf: [oneField(Object.keys(ACTION_FIELDS)), A_BLOCK] }] }
  if (section === 'compensate' || section === 'fallback') return oneField(Object.keys(UNDOING_FIELDS))
  return {}
}

/** Steps under `forEach` are what the step does. */
const A_BLOCK: SchemaFragment = {
  required: ['forEach'],
  properties: { forEach: { type: 'object', required: ['steps'] } },
}

function oneField(names: readonly string[]): SchemaFragment {
  return { oneOf: names.map((name) => ({ required: [name] })) }
}
