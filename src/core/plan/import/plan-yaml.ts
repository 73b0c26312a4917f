/** A plan document as YAML for people to read and go on with; text that looks like something else is quoted. */
import { stringify } from 'yaml'
import type { Json } from '../plan.ts'

export function planYaml(document: { readonly [field: string]: Json }): string {
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
}
