import type { Overview } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import { listWorst } from './overview-store.ts'
import { toItem } from './wire.ts'

/** What stands open in an organization, the worst of it first. */
export async function readOpenIncidents(db: Db, organization: number, limit: number): Promise<Overview['open_incidents']> {
  const { total, rows } = await listWorst(db, organization, limit)
  return { total, incidents: rows.map(toItem) }
}
