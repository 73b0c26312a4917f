import { expect, it } from 'vitest'
import { exportedNames } from './exported-names.ts'

const seen = (source: string): readonly string[] => [...exportedNames(source).names].sort()

it('sees the names a module exports, in every way of writing them', () => {
  expect(
    seen(`
      #!/usr/bin/env node
      import type { StepFunctions } from 'keelson'
      // export const commented = () => 1
      const text = "export const quoted = 1" + \`export const templated = \${'}'} 1\`
      export const pay = async (input: { amount: number }) => ({ paid: input.amount / 2 / 1 }), refund = () => 1
      export function ship(): void { const inner = { a: 1 } }
      export async function* stream() {}
      export class Counter {}
      function hidden() {}
      const renamed = () => /export const regex = {/.test('')
      export { renamed as shown, renamed as "odd-name" }
      export type Shape = { a: string }
      export interface Other { b: string }
      export const stock: StepFunctions = { reserve: async () => 1, release() {}, 'by-hand': () => 2, deep: { er() {} } }
      const orders = { open: () => 1, async close() {}, get all() { return 1 } }
      export { orders }
    `),
  ).toEqual(
    ['Counter', 'odd-name', 'orders.all', 'orders.close', 'orders.open', 'pay', 'refund', 'ship', 'shown', 'stream']
      .concat(['stock.by-hand', 'stock.deep.er', 'stock.release', 'stock.reserve'])
      .sort(),
  )
  expect(seen(`export default { pay: () => 1, stock: { reserve() {} } } satisfies StepFunctions`)).toEqual([
    'pay',
    'stock.reserve',
  ])
  expect(seen(`const all = { pay() {} }\nexport default all`)).toEqual(['pay'])
  for (const source of [
    `export const steps = { pay() {} } satisfies StepFunctions`,
    `const steps = { pay() {} }\nexport { steps }`,
    `export default { steps: { pay() {} } }`,
  ])
    expect(seen(source), source).toEqual(['pay'])
})

it('says that a name may be there wherever the text does not tell', () => {
  for (const source of [
    `export * from './more.ts'`,
    `export default make()`,
    `export const { a, b } = make()`,
    `const all = { ...others }\nexport default all`,
    `export default { ['a' + 'b']: () => 1 }`,
    `module.exports = { a() {} }`,
    `exports.a = () => 1`,
    `export const steps = make()`,
    `export * as steps from './more.ts'`,
    `export { default } from './other.ts'`,
    `export const a = () => { `,
  ])
    expect(exportedNames(source).mayHave('anything'), source).toBe(true)
  const grouped = exportedNames(`export const stock = make()\nexport * as orders from './orders.ts'`)
  expect(['stock', 'stock.reserve', 'orders.open', 'pay'].map((name) => grouped.mayHave(name))).toEqual([
    true,
    true,
    true,
    false,
  ])
})
