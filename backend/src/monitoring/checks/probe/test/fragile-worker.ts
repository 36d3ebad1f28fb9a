/** The thread of the prober, but for two targets that make it fail as a fault of its own would. */
import { parentPort } from 'node:worker_threads'
import type { Order } from '../thread-messages.ts'

await import('../worker.ts')
parentPort?.on('message', (orders: Order[]) => {
  const isOrdered = (url: string) => orders.some(({ definition }) => definition.url === url)
  if (isOrdered('http://crash.test/')) throw new Error('a fault of ours')
  while (isOrdered('http://hang.test/'));
})
