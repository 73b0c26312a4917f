import { expect, it } from 'vitest'
import { KeelsonError, type Problem } from '../../problems/problem.ts'
import { namedFunctions } from './named-functions.ts'

const pay = (): number => 1
const refund = (): number => 2
const names = (exported: Readonly<Record<string, unknown>>): readonly string[] => Object.keys(namedFunctions(exported))

function refused(exported: Readonly<Record<string, unknown>>): Problem {
  try {
    names(exported)
  } catch (thrown) {
    if (thrown instanceof KeelsonError) return thrown.problems[0]
    throw thrown
  }
  throw new Error('it was taken')
}

it('named exports, export default and export const steps give the same names', () => {
  const functions = { pay, card: { refund } }
  for (const exported of [
    functions,
    { default: functions },
    { steps: functions },
    { default: { steps: functions } },
    { ...functions, default: functions, steps: functions },
    { 'module.exports': functions, default: functions },
  ])
    expect(names(exported).toSorted()).toEqual(['card.refund', 'pay'])
  expect(names({ pay, steps: { refund } })).toEqual(['pay', 'refund'])
  expect(names({ steps: pay })).toEqual(['steps'])
})

it('two different functions under one name are refused, with where each is', () => {
  expect(refused({ pay, default: { pay: refund } })).toMatchObject({
    code: 'STEPS_AMBIGUOUS',
    message: "two different functions are called 'pay': one in the named exports, one in `export default`",
  })
  expect(refused({ steps: { card: { pay } }, card: { pay: refund } }).message).toMatch(
    /'card\.pay': one in the named exports, one in `steps`/,
  )
  expect(refused({ 'card.pay': pay, card: { pay: refund } }).message).toBe(
    "two different functions are called 'card.pay' in the named exports",
  )
})

it('objects that hold themselves end, and a name of the language is a name like any other', () => {
  const group: Record<string, unknown> = { pay }
  group['self'] = group
  group['steps'] = group
  expect(names({ group })).toEqual(['group.pay'])
  expect(names(group)).toEqual(['pay'])
  const odd = namedFunctions(Object.fromEntries([['__proto__', pay]]))
  expect(Object.getOwnPropertyNames(odd)).toEqual(['__proto__'])
  expect(names({ default: pay })).toEqual([])
})
