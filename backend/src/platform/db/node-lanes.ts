import type { Clock } from '../time/clock.ts'
import { isDistributed } from './distributed.ts'
import { findNodes } from './nodes.ts'
import type { Db } from './pool.ts'

/**
 * Runs `task` once for the items of each node, for all nodes at once. A node that takes long delays nothing of the others: after a
 * second this resolves all the same. Resolves with the items of nodes that are busy with earlier ones: they were left out. Rejects
 * with the error of a task, an earlier one included. Where the tables are not distributed there is one node, which is waited for.
 */
export type NodeLanes = <Item extends { organization: number }>(
  items: readonly Item[],
  task: (items: readonly Item[]) => Promise<void>,
) => Promise<Item[]>

const PATIENCE_MS = 1_000

export function createNodeLanes({ db, clock }: { db: Db; clock: Clock }): NodeLanes {
  const busy = new Set<string>()
  const errors: unknown[] = []

  async function runLane(node: string, task: () => Promise<void>): Promise<void> {
    busy.add(node)
    try {
      await task()
    } catch (error) {
      errors.push(error)
    } finally {
      busy.delete(node)
    }
  }

  return async (items, task) => {
    if (!(await isDistributed(db))) {
      await task(items)
      return []
    }
    const nodes = await findNodes(db, [...new Set(items.map(({ organization }) => organization))])
    const byNode = [...Map.groupBy(items, ({ organization }) => nodes.get(organization) as string)]
    const left = byNode.filter(([node]) => busy.has(node)).flatMap(([, own]) => own)
    const free = byNode.filter(([node]) => !busy.has(node))
    const done = new AbortController()
    const running = Promise.all(free.map(([node, own]) => runLane(node, () => task(own)))).then(() => done.abort())
    await Promise.race([running, clock.sleep(PATIENCE_MS, done.signal)])
    if (errors.length > 0) throw errors.shift()
    return left
  }
}
