import PQueue from 'p-queue'
import { type NodeOf, ONE_NODE } from './nodes.ts'

/** Resolves when the organization may hold one more connection, with what gives it back. */
export type TakeShare = (organization: number) => Promise<() => void>

/**
 * Bounds the connections of a pool that requests of one node's organizations hold at once to half of it: those that wait for a node
 * that hangs leave the other half to others. Not where the tables are on one node, whose requests all wait for the same.
 */
export function createNodeShares(nodeOf: NodeOf, connections: number): TakeShare {
  const concurrency = Math.max(1, Math.floor(connections / 2))
  const queues = new Map<string, PQueue>()
  return async (organization) => {
    const node = await nodeOf(organization)
    if (node === ONE_NODE) return () => undefined
    const queue = queues.get(node) ?? new PQueue({ concurrency })
    queues.set(node, queue)
    return new Promise((granted) => void queue.add(() => new Promise<void>(granted)))
  }
}
