/** Questions of one moment: asked once, and never answered with what was so before one of them. */
import { expect, it } from 'vitest'
import { AskedTogether } from './asked-together.ts'

/** Turns of a loop, one at a time. */
function loop(): { readonly defer: (act: () => void) => void; readonly turn: () => Promise<void> } {
  let waiting: (() => void)[] = []
  return {
    defer: (act) => void waiting.push(act),
    turn: async () => {
      const now = waiting
      waiting = []
      for (const act of now) act()
      await new Promise<void>((resolve) => void setImmediate(resolve))
    },
  }
}

it('asks once for all who ask in a turn, when the last of them has asked', async () => {
  const { defer, turn } = loop()
  const asked: string[] = []
  let newest = 'a'
  const together = new AskedTogether<string>({ defer })
  const ask = (question: string): Promise<string> =>
    together.ask(question, async () => {
      asked.push(question)
      return `${question} is ${newest}`
    })
  const first = [ask('x'), ask('y'), ask('x')]
  newest = 'b'
  first.push(ask('x'))
  expect(asked).toEqual([])
  await turn()
  expect(asked).toEqual(['x', 'y'])
  expect(await Promise.all(first)).toEqual(['x is b', 'y is b', 'x is b', 'x is b'])
})

it('answers who asks while the store is being asked by another question, and keeps no failure', async () => {
  const { defer, turn } = loop()
  const together = new AskedTogether<number>({ defer })
  const answers = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  let times = 0
  const ask = (): Promise<number> =>
    together.ask('x', () => answers[times++]?.promise ?? expect.fail('asked too often'))
  const early = ask()
  const failed = expect(early).rejects.toThrow('the store is away')
  await turn()
  const late = ask()
  answers[0]?.reject(new Error('the store is away'))
  await failed
  await turn()
  answers[1]?.resolve(2)
  expect(await late).toBe(2)
  expect(times).toBe(2)
})
