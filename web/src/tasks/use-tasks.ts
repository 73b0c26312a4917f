/** The open tasks, live. */
import type { Task } from '../../../src/client/connect.ts'
import { useAsked, type Asked } from '../server/use-asked.ts'

export function useTasks(): Asked<readonly Task[]> {
  return useAsked('tasks', (client, signal) => client.tasks({}, { signal }))
}
