import type { Overview } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import { listMostSevere } from './overview-store.ts'
import { toIncidentItem } from './wire.ts'

/** The open incidents of an organization, most severe first. */
export async function readOpenIncidents(db: Db, organization: number, limit: number): Promise<Overview['open_incidents']> {
  const { total, rows } = await listMostSevere(db, organization, limit)
  return { total, incidents: rows.map(toIncidentItem) }
}
