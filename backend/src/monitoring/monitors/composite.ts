import {
  type CompositeMember,
  type CompositeOptions,
  type Dependency,
  MAX_COMPOSITE_DEPTH,
  MAX_COMPOSITE_MEMBERS,
  type MonitorDetails,
} from '@vedette/shared'
import { computeComposites, findCompositesOf, levelsOf, listComposites } from '../checks/index.ts'
import { isComposite } from './composite-fields.ts'
import { findExisting } from '../dependencies/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { invalid } from '../../platform/errors.ts'
import { encodeId, parseId } from '../../platform/ids.ts'

// Composites are not checked: their members decide. What they do differently when a monitor is made, changed and read is here.

/** Not validated yet where a request gave them: they may be anything. */
export const membersIn = (options: Readonly<Record<string, unknown>> | undefined): CompositeMember[] => {
  const { members } = (options ?? {}) as CompositeOptions
  return Array.isArray(members) ? members : []
}

/** The monitors and servers that members name by their ids. */
const named = (members: readonly unknown[]): Dependency[] =>
  members.flatMap((member): Dependency[] => {
    const { type, id, server_id: serverId } = (member ?? {}) as Record<string, unknown>
    if (type === 'entity') return typeof serverId === 'string' ? [{ type: 'server', id: serverId }] : []
    return (type === 'monitor' || type === 'server') && typeof id === 'string' ? [{ type, id }] : []
  })

const storedIdOf = ({ type, id }: Dependency): string | undefined => (id === undefined ? undefined : parseId(type, id))

/**
 * The options with stored ids in their members. Throws validation_error, the same for malformed, unknown and other organizations' ids.
 */
export async function resolveMemberIds(
  db: Db,
  organization: number,
  path: string,
  options: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const members = membersIn(options)
  const parsed = named(members).flatMap((one): Dependency[] => {
    const id = storedIdOf(one)
    return id === undefined ? [] : [{ type: one.type, id }]
  })
  if (members.length === 0) return options
  const existing = await findExisting(db, organization, parsed)
  const resolved = members.map((member, index) => {
    const [one] = named([member])
    if (!one) return member
    const id = storedIdOf(one)
    const field = member.type === 'entity' ? 'server_id' : 'id'
    if (id !== undefined && existing.has(id)) return { ...member, [field]: id }
    throw invalid({ path: `${path}options.members.${index}.${field}`, message: `is not a ${one.type} of this organization` })
  })
  return { ...options, members: resolved }
}

/** A function that shows stored options as callers read them: with ids of the API, without deleted monitors and servers. */
export async function showMembers(
  db: Db,
  organization: number,
  lists: readonly Readonly<Record<string, unknown>>[],
): Promise<(options: Record<string, unknown>) => Record<string, unknown>> {
  const all = lists.flatMap((options) => named(membersIn(options)))
  const existing = all.length === 0 ? new Set<string>() : await findExisting(db, organization, all)
  return (options) => {
    if (options['members'] === undefined) return options
    const members = membersIn(options).flatMap((member): CompositeMember[] => {
      const [one] = named([member])
      if (one?.id === undefined) return [member]
      if (!existing.has(one.id)) return []
      const id = encodeId(one.type, one.id)
      return [member.type === 'entity' ? { ...member, server_id: id } : ({ ...member, id } as CompositeMember)]
    })
    return { ...options, members }
  }
}

/** The members of composites with their states now, by number. */
export async function readMemberStates(
  db: Db,
  organization: number,
  rows: readonly { number: number; type: string }[],
  at: Date,
): Promise<Map<number, NonNullable<MonitorDetails['composite']>>> {
  const numbers = rows.filter(isComposite).map(({ number }) => number)
  if (numbers.length === 0) return new Map()
  const composites = await findCompositesOf(db, organization, { ids: [], tags: [] }, numbers)
  const computed = await computeComposites(db, organization, composites, at)
  return new Map(
    computed.map(({ row, derived, members, total }) => [
      row.number,
      {
        reason: derived?.reason ?? 'no member counts',
        members: members.map(({ id, serverId, ...member }) => ({
          ...member,
          id: encodeId(member.type, id),
          server_id: serverId && encodeId('server', serverId),
        })),
        members_total: total,
      },
    ]),
  )
}

/** A composite that a request made or changed, and the path of its members. */
export interface ChangedComposite {
  number: number
  path: string
}

/**
 * Throws validation_error where composites stand for too many members, or are within each other over too many levels. Run it in the
 * transaction of the changes, after cycles were refused.
 */
export async function refuseTooMany(db: Db, organization: number, changed: readonly ChangedComposite[], at: Date): Promise<void> {
  const [first] = changed
  if (!first) return
  const rows = await listComposites(db, organization)
  if (Math.max(...levelsOf(rows).values()) > MAX_COMPOSITE_DEPTH) {
    const message = `must not have composites within composites over more than ${MAX_COMPOSITE_DEPTH} levels`
    throw invalid({ path: first.path, message })
  }
  const paths = new Map(changed.map(({ number, path }) => [number, path]))
  const own = rows.filter(({ number }) => paths.has(number))
  const full = (await computeComposites(db, organization, own, at)).find(({ total }) => total > MAX_COMPOSITE_MEMBERS)
  if (!full) return
  const message = `must stand for at most ${MAX_COMPOSITE_MEMBERS} members, also through tags; these are ${full.total}`
  throw invalid({ path: paths.get(full.row.number) ?? first.path, message })
}
