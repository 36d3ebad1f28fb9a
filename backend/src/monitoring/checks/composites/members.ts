import {
  type CompositeMember,
  ENTITY_KIND_NAMES,
  ENTITY_KINDS,
  type EntityKindName,
  MAX_COMPOSITE_MEMBERS,
  memberKey,
  isWatched,
} from '@vedette/shared'
import type { CountedMember } from './rule.ts'
import type { EntityMember, MemberRows, MonitorMember, ServerMember } from './store.ts'

/** What a member of a composite is now. */
export interface ResolvedMember extends CountedMember {
  type: CompositeMember['type']
  /** Stored; of an entity its own. */
  id: string
  /** Of a monitor, or of an entity. */
  kind: string | null
  /** Of an entity. */
  serverId: string | null
}

export const kindNumberOf = (name: string): number =>
  ENTITY_KIND_NAMES.includes(name as EntityKindName) ? ENTITY_KINDS[name as EntityKindName].id : 0

const kindNameOf = (number: number): string =>
  ENTITY_KIND_NAMES.find((name) => ENTITY_KINDS[name].id === number) ?? String(number)

/** What members stand for, by what they name it by. */
export type MemberIndex = ReadonlyMap<string, readonly State[]>

/** The states of monitors, servers and entities by `memberKey`: each by its id and by its tags. Pure. */
export function indexStates({ monitors, servers, entities }: MemberRows, inMaintenance: ReadonlySet<string>): MemberIndex {
  const index = new Map<string, State[]>()
  const add = (member: CompositeMember, state: State) => {
    const key = memberKey(member)
    const known = index.get(key)
    if (known) known.push(state)
    else index.set(key, [state])
  }
  const maintained = (state: State, id: string): State => (inMaintenance.has(id) ? { ...state, outside: 'maintenance' } : state)
  for (const row of [...monitors, ...servers]) {
    const { type, id, tags } = row
    const state = maintained(row.type === 'monitor' ? monitorState(row) : serverState(row), id)
    add({ type, id }, state)
    for (const tag of tags) add({ type, tag }, state)
  }
  for (const row of entities) {
    const { server_id: serverId, kind, name } = row
    add({ type: 'entity', server_id: serverId, kind: kindNameOf(kind), name }, maintained(entityState(row), serverId))
  }
  return index
}

/** Each monitor, server and entity that the members name, once: what is named by id goes before what a tag adds. At most 500. Pure. */
export function resolveMembers(
  members: readonly CompositeMember[],
  index: MemberIndex,
): { members: ResolvedMember[]; total: number } {
  const found = new Map<string, ResolvedMember>()
  const ordered = [...members.filter((member) => !isTag(member)), ...members.filter(isTag)]
  for (const member of ordered)
    for (const state of index.get(memberKey(member)) ?? []) {
      const { weight = 1, required = false } = member
      if (!found.has(state.id)) found.set(state.id, { ...state, weight, required })
    }
  const all = [...found.values()]
  return { members: all.slice(0, MAX_COMPOSITE_MEMBERS), total: all.length }
}

const isTag = (member: CompositeMember): boolean => member.type !== 'entity' && member.tag !== undefined

type State = Omit<ResolvedMember, 'weight' | 'required'>

function monitorState({ id, name, kind, status, is_checked: isChecked }: MonitorMember): State {
  const own = { type: 'monitor', id, name, kind, serverId: null } as const
  if (!isWatched(status)) return { ...own, status: 'up', outside: status }
  return { ...own, status, outside: isChecked ? null : 'not_checked' }
}

/** A host that works with something critical, as a failing disk, is degraded. */
function serverState({ id, name, is_offline: isOffline, is_seen: isSeen, is_critical: isCritical }: ServerMember): State {
  const status = isOffline ? 'down' : isCritical ? 'degraded' : 'up'
  return { type: 'server', id, name, kind: null, serverId: null, status, outside: isSeen ? null : 'not_checked' }
}

/** Of a host that is offline nothing works; a part that pushes no longer have is gone. */
function entityState(entity: EntityMember): State {
  const { id, name, kind, server_id: serverId, state, is_offline: isOffline, is_present: isPresent, severity } = entity
  const kindName = kindNameOf(kind)
  const isStopped = kindName === 'container' ? state !== null && state !== 'running' : kindName === 'unit' && state === 'failed'
  const isDown = isOffline || !isPresent || isStopped || severity === 'critical'
  const status = isDown ? 'down' : severity === 'warning' ? 'degraded' : 'up'
  return { type: 'entity', id, name, kind: kindName, serverId, status, outside: null }
}
