/** The error of a failed test also says what the processes told that the test had started. */
import { afterEach } from 'vitest'
import { childrenTold, forgetEndedChildren } from '../fixtures/child.ts'

afterEach(({ task }) => {
  const told = childrenTold()
  forgetEndedChildren()
  const [error] = task.result?.errors ?? []
  if (task.result?.state !== 'fail' || error === undefined || told === '') return
  error.message = `${error.message}\n${told}`
  if (error.stack !== undefined) error.stack = `${error.stack}\n${told}`
})
