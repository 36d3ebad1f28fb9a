import type { Overview } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import { listMostSevere } from './overview-store.ts'
import { toStoryItems } from './service.ts'

const UNRESOLVED = {
  statuses: ['open', 'acknowledged'],
  severity: undefined,
  targetId: undefined,
  storyId: undefined,
  tags: [],
  text: undefined,
  from: undefined,
  to: undefined,
} as const

/** The open incidents of an organization, one for each story, most severe first. */
export async function readOpenIncidents(db: Db, organization: number, limit: number): Promise<Overview['open_incidents']> {
  const { total, rows } = await listMostSevere(db, organization, limit)
  return { total, incidents: await toStoryItems(db, organization, UNRESOLVED, rows) }
}
