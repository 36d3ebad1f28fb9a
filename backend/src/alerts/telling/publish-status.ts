import type { MonitorStatus } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { publish } from './publish.ts'

const TYPES = { down: 'monitor.down', degraded: 'monitor.degraded', up: 'monitor.up' } as const

/** Tells of a changed status of a monitor; that somebody paused it, or that nothing is known, is no event. Run it like `publish`. */
export async function publishStatus(
  db: Db,
  organization: number,
  { id, name }: { id: string; name: string },
  { to_status: status, reason, at }: { to_status: MonitorStatus; reason: string; at: Date },
): Promise<void> {
  const type = (TYPES as Partial<Record<MonitorStatus, (typeof TYPES)[keyof typeof TYPES]>>)[status]
  if (type === undefined) return
  await publish(db, organization, { type, at, data: { monitor: { id: encodeId('monitor', id), name, status, reason } } })
}
