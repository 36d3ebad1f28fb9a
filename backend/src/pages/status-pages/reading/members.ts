import type { StatusPageSection } from '@vedette/shared'
import { type ComputedComposite, computeComposites, findCompositesOf } from '../../../monitoring/checks/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { type ComponentStatus, type PageMember } from './model.ts'
import type { PageMonitor } from './store.ts'

const STATUS = { up: 'operational', degraded: 'degraded', down: 'down' } as const
const OUTSIDE = {
  paused: 'paused',
  idle: 'paused',
  maintenance: 'maintenance',
  not_checked: 'unknown',
} as const satisfies Record<NonNullable<ComputedComposite['members'][number]['outside']>, ComponentStatus>

/** The members of each composite of the page by its stored id, for the sections that show them. */
export async function readPageMembers(
  db: Db,
  organization: number,
  sections: readonly StatusPageSection[],
  monitors: readonly PageMonitor[],
  nowMs: number,
): Promise<(monitor: PageMonitor, section: StatusPageSection) => PageMember[] | undefined> {
  const isShown = ({ show }: StatusPageSection) => show?.includes('members') === true
  const numbers = sections.some(isShown) ? monitors.filter(({ type }) => type === 'composite').map(({ number }) => number) : []
  const rows = numbers.length === 0 ? [] : await findCompositesOf(db, organization, { ids: [], tags: [] }, numbers)
  const computed = rows.length === 0 ? [] : await computeComposites(db, organization, rows, new Date(nowMs))
  const membersOf = new Map(computed.map(({ row, members }) => [row.id, members]))
  return ({ id }, section) => {
    const members = isShown(section) ? membersOf.get(id) : undefined
    return members?.map((member): PageMember => {
      const publicName = member.type === 'monitor' ? section.names?.[encodeId('monitor', member.id)] : undefined
      return { name: publicName ?? member.name, status: member.outside ? OUTSIDE[member.outside] : STATUS[member.status] }
    })
  }
}
