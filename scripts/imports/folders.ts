import { cyclesIn } from './cycles.ts'
import { partsOf } from './places.ts'

const ROOTS = ['agent/src', 'backend/src', 'shared/src']
/** Entry points of a folder: they import from its subfolders, and count by themselves. */
const ENTRY = /^(?:index|routes|service|feature)\.ts$/

export interface FolderCycle {
  /** Nodes in their order; the first one sorts first. */
  nodes: string[]
  /** For each node one import that leads to the next: `a.ts → b.ts`. */
  imports: string[]
}

/** Where a file stands: its `src`, and its folders and name below. */
interface Place {
  root: string
  parts: string[]
}

/**
 * Circles between the folders of agent, backend and shared: of the topmost among each other, and of folders inside one folder. `edges`
 * are the imports of the files, tests left out. Files directly in a folder of the backend count as one node; its entry points, files of
 * `src`, and all files of agent and shared, whose folders have no entry points, count by themselves.
 */
export function folderCycles(edges: ReadonlyMap<string, readonly string[]>): FolderCycle[] {
  const scopes = new Map<string, Map<string, Map<string, string>>>()
  for (const [from, targets] of edges) {
    for (const to of targets) {
      const [here, there] = [placeOf(from), placeOf(to)]
      if (!here || !there || here.root !== there.root) continue
      const depth = commonDepth(here, there)
      const [one, other] = [nodeOf(here, depth), nodeOf(there, depth)]
      // Two files of one folder: their circles are those of files.
      if (one === other || (depth > 0 && here.parts.length === depth + 1 && there.parts.length === depth + 1)) continue
      const scope = [here.root, ...here.parts.slice(0, depth)].join('/')
      const graph = scopes.get(scope) ?? new Map<string, Map<string, string>>()
      const outgoing = graph.get(one) ?? new Map<string, string>()
      if (!outgoing.has(other)) outgoing.set(other, `${from} → ${to}`)
      scopes.set(scope, graph.set(one, outgoing))
    }
  }
  return [...scopes].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, graph]) => cyclesOf(graph))
}

/** Circles of files alone are left to the rule of files. */
function cyclesOf(graph: ReadonlyMap<string, ReadonlyMap<string, string>>): FolderCycle[] {
  const cycles = cyclesIn(new Map([...graph].map(([node, outgoing]) => [node, [...outgoing.keys()]])))
  return cycles
    .filter((nodes) => !nodes.every((node) => node.endsWith('.ts')))
    .map((nodes) => ({
      nodes,
      imports: nodes.map((node, index) => graph.get(node)?.get(nodes[(index + 1) % nodes.length] ?? '') ?? ''),
    }))
}

function placeOf(path: string): Place | undefined {
  const root = ROOTS.find((one) => path.startsWith(`${one}/`))
  return root === undefined ? undefined : { root, parts: partsOf(path.slice(root.length + 1)) }
}

/** How many folders both are in. */
function commonDepth({ parts: a }: Place, { parts: b }: Place): number {
  const most = Math.min(a.length, b.length) - 1
  const differs = a.findIndex((part, index) => part !== b[index])
  return differs < 0 ? most : Math.min(differs, most)
}

/** The subfolder at this depth that has the file; for the files of the folder itself one node, or the file. */
function nodeOf({ root, parts }: Place, depth: number): string {
  const folder = [root, ...parts.slice(0, depth)].join('/')
  const [first = '', ...deeper] = parts.slice(depth)
  const isOneOfMany = root === 'backend/src' && depth > 0 && deeper.length === 0 && !ENTRY.test(first)
  return `${folder}/${isOneOfMany ? '*' : first}`
}
