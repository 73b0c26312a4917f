/** A fan-out of as many items as the input has: a run as long as a test wants it. */
export const WIDE = `
plan: wide
version: 1.0.0
inputs: { type: object, properties: { items: { type: array, items: { type: integer } } } }
steps:
  - { id: open, run: echo }
  - { id: each, dependsOn: [open], forEach: input.items, run: echo, with: { n: '\${item}' } }
  - { id: close, dependsOn: [each], run: echo }
`
