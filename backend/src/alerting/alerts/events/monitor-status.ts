import type { MonitorStatus } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { publish } from '../../../notifying/notifications/index.ts'

const TYPES = { down: 'monitor.down', degraded: 'monitor.degraded', up: 'monitor.up' } as const

/** Publishes a changed status of a monitor; paused and unknown are no events. Run it like `publish`. */
export async function publishMonitorStatus(
  db: Db,
  organization: number,
  { id, name }: { id: string; name: string },
  { to_status: status, reason, at }: { to_status: MonitorStatus; reason: string; at: Date },
): Promise<void> {
  const type = (TYPES as Partial<Record<MonitorStatus, (typeof TYPES)[keyof typeof TYPES]>>)[status]
  if (type === undefined) return
  await publish(db, organization, { type, at, data: { monitor: { id: encodeId('monitor', id), name, status, reason } } })
}
