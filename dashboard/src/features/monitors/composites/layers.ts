import type { Graph, GraphNode } from './graph.ts'

export const NODE = { width: 160, height: 34 }
const GAP = { x: 44, y: 10 }

export interface PlacedNode extends GraphNode {
  x: number
  y: number
}

export interface Picture {
  width: number
  height: number
  nodes: readonly PlacedNode[]
  /** The worst last: they are drawn over the others. */
  edges: readonly { from: PlacedNode; to: PlacedNode }[]
}

const WORST_FIRST = ['down', 'offline', 'degraded', 'pending', 'idle', 'paused', 'up', 'online']
const rankOf = ({ status = 'up' }: GraphNode): number => WORST_FIRST.indexOf(status)

const inColumn = (one: GraphNode, other: GraphNode): number => rankOf(one) - rankOf(other) || one.label.localeCompare(other.label)

/** The layer of each node: the longest way to it from the root, so that all lines lead to the right. There is no cycle. */
export function layersOf({ nodes, edges }: Graph, root: string): ReadonlyMap<string, number> {
  const layers = new Map<string, number>([[root, 0]])
  // No way is longer than there are nodes, even if a cycle was closed while they were read.
  for (let round = 0, isChanged = true; isChanged && round < nodes.size; round += 1) {
    isChanged = false
    for (const [from, to] of edges) {
      const layer = (layers.get(from) ?? 0) + 1
      if (layer <= (layers.get(to) ?? 0)) continue
      layers.set(to, layer)
      isChanged = true
    }
  }
  return layers
}

/** Columns by layer, in each of them the worst first; px. */
export function pictureOf(graph: Graph, root: string): Picture {
  const layers = layersOf(graph, root)
  const columns: GraphNode[][] = []
  for (const node of graph.nodes.values()) (columns[layers.get(node.key) ?? 0] ??= []).push(node)
  const placed = new Map<string, PlacedNode>()
  // Without those that a cycle leaves empty.
  for (const [column, nodes] of columns.filter(Boolean).entries())
    for (const [index, node] of nodes.toSorted(inColumn).entries())
      placed.set(node.key, { ...node, x: column * (NODE.width + GAP.x), y: index * (NODE.height + GAP.y) })
  const all = [...placed.values()]
  return {
    width: Math.max(...all.map(({ x }) => x)) + NODE.width,
    height: Math.max(...all.map(({ y }) => y)) + NODE.height,
    nodes: all,
    edges: graph.edges
      .flatMap(([start, end]) => {
        const [from, to] = [placed.get(start), placed.get(end)]
        return from && to ? [{ from, to }] : []
      })
      .toSorted((one, other) => rankOf(other.to) - rankOf(one.to)),
  }
}
