/** Whether the work of processes at their death shows that the run killed them. */
import { describe, expect, it } from 'vitest'
import { fatalText, isFatal, lastWords, TAKING_UP } from './last-words.ts'

const alone = lastWords('deciding', 0)
const beside = lastWords('deciding', 2)

describe('a run is what ended its processes [P-27]', () => {
  it.each([
    [[alone, alone, alone], true],
    [[alone, alone], false],
    [[TAKING_UP, alone, alone], true],
    [[alone, TAKING_UP, alone], false],
    [[alone, alone, TAKING_UP], false],
    [[TAKING_UP, TAKING_UP, TAKING_UP, TAKING_UP], false],
    [[beside, beside, beside], false],
    [[beside, beside, beside, beside], true],
    [[beside, beside, alone], true],
    [[], false],
  ])('when they died at %j: %j', (diedDoing, guilty) => {
    expect(isFatal({ diedDoing })).toBe(guilty)
  })

  it('and it is told in a sentence', () => {
    expect(fatalText({ diedDoing: [lastWords('folding its log', 1), alone, alone] })).toBe(
      '3 times in a row the process that drove it died while folding its log or deciding, with a step at work beside it',
    )
  })
})
