/** What was written and not yet taken elsewhere, kept for this tab: a reload loses nothing, and closing the tab forgets it. */
const KEPT = 'keelson.editor '

/** `name`: of the plan it began with. */
export function keptText(name: string): string | undefined {
  return sessionStorage.getItem(`${KEPT}${name}`) ?? undefined
}

export function keepText(name: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(`${KEPT}${name}`)
    else sessionStorage.setItem(`${KEPT}${name}`, text)
  } catch {
    // There is no room for it: it is on the screen, and only a reload would lose it.
  }
}

export const FIRST_PLAN = `plan: hello
version: 1.0.0
inputs:
  type: object
  properties:
    name: { type: string, default: world }
steps:
  - id: think
    wait: { for: 1s }
  - id: sign
    manual: { title: 'Say hello to \${input.name}?' }
output: { greeted: '\${input.name}' }
`
