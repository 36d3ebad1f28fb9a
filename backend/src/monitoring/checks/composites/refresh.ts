import { memberKey, type RegionState, isWatched } from '@vedette/shared'
import { evaluateMembersDown, listUnderMaintenance, type MembersDown } from '../../../alerting/alerts/index.ts'
import { type Db, inTransaction } from '../../../platform/db/index.ts'
import { newId } from '../../../platform/ids.ts'
import { changeStatus } from '../status/store.ts'
import { indexStates, kindNumberOf, type MemberIndex, type ResolvedMember, resolveMembers } from './members.ts'
import { type DerivedComposite, deriveCompositeStatus } from './rule.ts'
import * as store from './store.ts'

/** A composite with its members now, and what they make of it. */
export interface ComputedComposite {
  row: store.CompositeRow
  members: ResolvedMember[]
  /** With those beyond the first 500. */
  total: number
  /** Undefined: no member counts, and the status stays. */
  derived: DerivedComposite | undefined
}

/** What these composites are by their members now; with few statements for all of them. */
export async function computeComposites(
  db: Db,
  organization: number,
  rows: readonly store.CompositeRow[],
  at: Date,
): Promise<ComputedComposite[]> {
  const named = rows.flatMap(({ options }) => options.members ?? [])
  const found = await store.readMembers(db, organization, named, kindNumberOf, at.getTime())
  const ids = [
    ...found.monitors.map(({ id }) => id),
    ...found.servers.map(({ id }) => id),
    ...found.entities.map(({ server_id: id }) => id),
  ]
  const inMaintenance = ids.length === 0 ? new Set<string>() : await listUnderMaintenance(db, organization, ids, at)
  const index = indexStates(found, inMaintenance)
  return rows.map((row) => compute(row, index))
}

function compute(row: store.CompositeRow, index: MemberIndex): ComputedComposite {
  const { members: named = [], down_when: downWhen, degraded_when, manual_status: manual } = row.options
  if (manual !== undefined) return { row, members: [], total: 0, derived: { status: manual, reason: `set to ${manual}` } }
  const { members, total } = resolveMembers(named, index)
  const derived = downWhen && deriveCompositeStatus({ down_when: downWhen, degraded_when }, members)
  return { row, members, total, derived }
}

/**
 * Computes the composites that these monitors are members of, and those with these numbers, and whatever these are members of in turn.
 * Run it at the end of a transaction, after the rows of the members have changed.
 */
export async function refreshComposites(
  db: Db,
  organization: number,
  changed: store.ChangedMembers,
  at: Date,
  numbers: readonly number[] = [],
): Promise<void> {
  if ((await store.findCompositesOf(db, organization, changed, numbers)).length === 0) return
  await store.lockComposites(db, organization)
  // Another transaction may have changed them until then.
  const first = await store.findCompositesOf(db, organization, changed, numbers)
  await refreshInOrder(db, organization, await withParents(db, organization, first), at)
}

/** The same with those that they are members of, each after all of its members. There is no cycle. */
async function withParents(db: Db, organization: number, first: readonly store.CompositeRow[]): Promise<store.CompositeRow[]> {
  const levels = new Map(first.map((row) => [row.number, { row, level: 0 }]))
  let last: readonly store.CompositeRow[] = first
  for (let level = 1; last.length > 0; level += 1) {
    const names = { ids: last.map(({ id }) => id), tags: last.flatMap(({ tags }) => tags) }
    last = await store.findCompositesOf(db, organization, names)
    for (const row of last) levels.set(row.number, { row, level })
    if (level > levels.size) break
  }
  return [...levels.values()].toSorted((one, other) => one.level - other.level).map(({ row }) => row)
}

/** Computes them in this order, each with the statuses that the ones before got, and evaluates the rules on their members. */
async function refreshInOrder(db: Db, organization: number, rows: readonly store.CompositeRow[], at: Date): Promise<void> {
  const computed = await computeComposites(db, organization, rows, at)
  const now = new Map<string, RegionState>()
  const membersDown: MembersDown[] = []
  for (const { row, members, derived } of computed) {
    const updated = members.map((member) => ({ ...member, status: now.get(member.id) ?? member.status }))
    const counted = updated.filter(({ outside }) => outside === null)
    const value = counted.filter(({ status }) => status === 'down').length
    // Where no member counts nothing is known.
    if (counted.length > 0) membersDown.push({ monitor: row.number, id: row.id, tags: row.tags, value })
    const { down_when: downWhen, degraded_when } = row.options
    const own = downWhen === undefined ? derived : deriveCompositeStatus({ down_when: downWhen, degraded_when }, updated)
    if (!own || !isWatched(row.status) || own.status === row.status) continue
    now.set(row.id, own.status)
    const change = { id: newId(), from: row.status, to: own.status, beforePause: null, reason: own.reason }
    await changeStatus(db, organization, row.number, change, at)
  }
  await evaluateMembersDown(db, organization, membersDown, at)
}

/**
 * Computes the composites that these monitors, whose status has just changed, are members of. Never throws: what changed is stored, must
 * not be stored again because of this, and the next sweep sees the same.
 */
export async function followStatuses(
  db: Db,
  changes: readonly { organization: number; monitor: number }[],
  at: Date,
): Promise<void> {
  if (changes.length > 0) await follow(db, changes, at).catch(() => undefined)
}

async function follow(db: Db, changes: readonly { organization: number; monitor: number }[], at: Date): Promise<void> {
  const byOrganization = Map.groupBy(changes, (change) => change.organization)
  const having = new Set(await store.listOrganizations(db, [...byOrganization.keys()]))
  for (const [organization, own] of [...byOrganization].filter(([number]) => having.has(number))) {
    const monitors = own.map(({ monitor }) => monitor)
    await inTransaction(db, async (transaction) =>
      refreshComposites(transaction, organization, await store.readMemberNames(transaction, organization, monitors), at),
    )
  }
}

/** Computes every composite again: tags, servers, parts of them and maintenance windows change without a check. */
export async function sweepComposites(db: Db, at: Date): Promise<void> {
  for (const organization of await store.listOrganizations(db))
    await inTransaction(db, async (transaction) => {
      await store.lockComposites(transaction, organization)
      const rows = await store.listComposites(transaction, organization)
      await refreshInOrder(transaction, organization, inOrder(rows), at)
    })
}

/** On how many levels each has composites, itself included. There is no cycle. Pure. */
export function levelsOf(rows: readonly store.CompositeRow[]): Map<store.CompositeRow, number> {
  const named = new Map<string, store.CompositeRow[]>()
  for (const row of rows)
    for (const member of [
      { type: 'monitor', id: row.id } as const,
      ...row.tags.map((tag) => ({ type: 'monitor', tag }) as const),
    ]) {
      const key = memberKey(member)
      named.set(key, [...(named.get(key) ?? []), row])
    }
  const levels = new Map<store.CompositeRow, number>()
  const levelOf = (row: store.CompositeRow): number => {
    const known = levels.get(row)
    if (known !== undefined) return known
    // Ends where a cycle that another transaction closed is not refused yet.
    levels.set(row, 1)
    const within = (row.options.members ?? []).flatMap((member) => named.get(memberKey(member)) ?? [])
    const level = 1 + Math.max(0, ...within.filter((other) => other !== row).map(levelOf))
    levels.set(row, level)
    return level
  }
  for (const row of rows) levelOf(row)
  return levels
}

/** Each after all composites that are its members. Pure. */
const inOrder = (rows: readonly store.CompositeRow[]): store.CompositeRow[] =>
  [...levelsOf(rows)].toSorted(([, one], [, other]) => one - other).map(([row]) => row)
