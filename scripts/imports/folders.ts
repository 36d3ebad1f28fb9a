import { posix } from 'node:path'
import { cyclesIn } from './cycles.ts'

const ROOT = 'backend/src'
/** Entry points of a folder: they import from its subfolders, and count by themselves. */
const ENTRY = /^(?:index|routes|service|feature)\.ts$/

export interface FolderCycle {
  /** Nodes in their order; the first one sorts first. */
  nodes: string[]
  /** For each node one import that leads to the next: `a.ts → b.ts`. */
  imports: string[]
}

/**
 * Circles between the folders of the backend: of features among each other, and of folders inside one folder. `edges` are the
 * imports of its files, tests left out. Files directly in a folder count as one node, entry points and files of the root as one each.
 */
export function folderCycles(edges: ReadonlyMap<string, readonly string[]>): FolderCycle[] {
  const scopes = new Map<string, Map<string, Map<string, string>>>()
  for (const [from, targets] of edges) {
    for (const to of targets) {
      const scope = commonFolder(from, to)
      if (scope !== ROOT && !scope.startsWith(`${ROOT}/`)) continue
      const [one, other] = [nodeOf(scope, from), nodeOf(scope, to)]
      // Two files of one folder: their circles are those of files.
      if (one === other || (scope !== ROOT && isDirectlyIn(scope, from) && isDirectlyIn(scope, to))) continue
      const graph = scopes.get(scope) ?? new Map<string, Map<string, string>>()
      const outgoing = graph.get(one) ?? new Map<string, string>()
      if (!outgoing.has(other)) outgoing.set(other, `${from} → ${to}`)
      scopes.set(scope, graph.set(one, outgoing))
    }
  }
  return [...scopes].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, graph]) => cyclesOf(graph))
}

function cyclesOf(graph: ReadonlyMap<string, ReadonlyMap<string, string>>): FolderCycle[] {
  return cyclesIn(new Map([...graph].map(([node, outgoing]) => [node, [...outgoing.keys()]]))).map((nodes) => ({
    nodes,
    imports: nodes.map((node, index) => graph.get(node)?.get(nodes[(index + 1) % nodes.length] ?? '') ?? ''),
  }))
}

function commonFolder(one: string, other: string): string {
  const [a, b] = [posix.dirname(one).split('/'), posix.dirname(other).split('/')]
  const length = a.findIndex((part, index) => part !== b[index])
  return (length < 0 ? a : a.slice(0, length)).join('/')
}

const isDirectlyIn = (scope: string, path: string): boolean => posix.dirname(path) === scope

/** The subfolder of the scope that has the file; for its own files the scope itself, or the file. */
function nodeOf(scope: string, path: string): string {
  const [first = '', ...deeper] = path.slice(scope.length + 1).split('/')
  if (deeper.length > 0) return `${scope}/${first}`
  return scope === ROOT || ENTRY.test(first) ? path : `${scope}/*`
}
