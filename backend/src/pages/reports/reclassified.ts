import type { Reclassification, UptimeReport } from '@vedette/shared'
import { localTime } from '../../platform/time/zone.ts'

/** What its people call themselves, else how they sign in. */
const nameOf = ({ created_by: by }: Reclassification): string =>
  by.name ?? by.email ?? (by.type === 'user' ? 'a former user' : by.type)

/** `2 intervals reclassified by Ada on 2026-11-21`: a text for each person and day, the last in time first. Pure. */
export function reclassifiedTexts({ reclassified = [], time_zone: zone }: UptimeReport, monitorId?: string): string[] {
  const own = reclassified.filter((one) => monitorId === undefined || one.monitor_id === monitorId)
  const groups = Map.groupBy(own, (one) => `by ${nameOf(one)} on ${localTime(zone, Date.parse(one.created_at)).slice(0, 10)}`)
  return [...groups].map(([said, { length }]) => `${length} ${length === 1 ? 'interval' : 'intervals'} reclassified ${said}`)
}
