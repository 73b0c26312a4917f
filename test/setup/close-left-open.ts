/** Runs for every test file, also for those that share a process: processes, servers and folders of one test are gone before the next. */
import { afterEach } from 'vitest'
import { closeLeftOpen } from '../fixtures/left-open.ts'

afterEach(closeLeftOpen)
