import type { Client } from '@vedette/client'
import type { MonitorDetails } from '@vedette/shared'
import { anyKindName } from '../../../lib/entity-texts.ts'
import { shownStatus } from '../../../lib/monitor-status.ts'
import { serverName } from '../../../lib/server-name.ts'
import { alerts } from '../../../messages/alerts.ts'
import { shownState } from './members.ts'

/** What something rests on: a member of a composite, or what it depends on. */
export interface GraphNode {
  key: string
  label: string
  /** As the page shows it; undefined of a tag, which stands for several. */
  status?: string
  /** Its page. */
  page?: { type: 'monitor' | 'server'; id: string }
}

export interface Graph {
  nodes: ReadonlyMap<string, GraphNode>
  /** Each from what rests to what it rests on, by keys. */
  edges: readonly (readonly [from: string, to: string])[]
  /** There is more than the picture has room for. */
  isCut: boolean
}

/** A picture of more would not be readable, and each monitor is a request. */
const MOST_NODES = 40

/** What a monitor rests on, read level by level until there is nothing further or the picture is full. */
export async function readGraph(client: Client, root: MonitorDetails, signal: AbortSignal): Promise<Graph> {
  const nodes = new Map<string, GraphNode>([[root.id, monitorNode(root)]])
  const edges: [string, string][] = []
  let isCut = false
  let level: readonly MonitorDetails[] = [root]
  while (level.length > 0) {
    const found = new Set<string>()
    for (const monitor of level)
      for (const node of below(monitor)) {
        if (!nodes.has(node.key) && nodes.size >= MOST_NODES) {
          isCut = true
          continue
        }
        if (!nodes.has(node.key)) found.add(node.key)
        nodes.set(node.key, nodes.get(node.key) ?? node)
        edges.push([monitor.id, node.key])
      }
    const fresh = [...found].flatMap((key) => nodes.get(key)?.page ?? [])
    // What was deleted meanwhile keeps its name.
    const read = await Promise.all(fresh.map((page) => readNode(client, page, signal).catch(() => undefined)))
    for (const one of read) if (one) nodes.set(one.node.key, one.node)
    level = read.flatMap((one) => one?.monitor ?? [])
  }
  return { nodes, edges, isCut }
}

async function readNode(client: Client, { type, id }: NonNullable<GraphNode['page']>, signal: AbortSignal) {
  if (type === 'monitor') {
    const monitor = await client.monitors.read(id, { signal })
    return { node: monitorNode(monitor), monitor }
  }
  const server = await client.servers.read(id, { signal })
  return { node: { key: id, label: serverName(server), status: server.status, page: { type, id } }, monitor: undefined }
}

const monitorNode = (monitor: MonitorDetails): GraphNode => ({
  key: monitor.id,
  label: monitor.name,
  status: shownStatus(monitor),
  page: { type: 'monitor', id: monitor.id },
})

/** Its members, and what it depends on. */
function below({ composite, depends_on: dependsOn }: MonitorDetails): GraphNode[] {
  const members = (composite?.members ?? []).map((member): GraphNode => {
    const { type, id, name, kind } = member
    const own = { key: id, label: name, status: shownState(member) }
    return type === 'entity' ? { ...own, label: `${anyKindName(kind ?? '')} ${name}` } : { ...own, page: { type, id } }
  })
  const needed = dependsOn.map(
    ({ type, id, tag = '' }): GraphNode =>
      id === undefined
        ? { key: `${type} #${tag}`, label: alerts.target.tagged[type](tag) }
        : { key: id, label: '…', page: { type, id } },
  )
  return [...members, ...needed]
}
