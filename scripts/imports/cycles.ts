/** One cycle of each strongly connected part of the graph, starting at the name that sorts first; a node that points at itself is one. */
export function cyclesIn(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>()
  const cycles: string[][] = []
  for (const start of [...edges.keys()].sort()) {
    if (done.has(start)) continue
    const path = pathToItself(edges, start)
    if (!path) continue
    cycles.push(path)
    for (const node of path) done.add(node)
  }
  return cycles
}

/** The shortest path from `start` to itself, breadth first; undefined when there is none. */
function pathToItself(edges: ReadonlyMap<string, readonly string[]>, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (const node of queue) {
    for (const next of edges.get(node) ?? []) {
      if (next === start) return trace(cameFrom, start, node)
      if (cameFrom.has(next)) continue
      cameFrom.set(next, node)
      queue.push(next)
    }
  }
  return undefined
}

function trace(cameFrom: ReadonlyMap<string, string>, start: string, end: string): string[] {
  const path = [end]
  for (let node = end; node !== start; ) {
    node = cameFrom.get(node) ?? start
    path.unshift(node)
  }
  return path
}
