import { DAY_MS, MAX_NAME_LENGTH, truncateText } from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../../access/audit/index.ts'
import { refuseOverBound } from '../../../access/plans/index.ts'
import { type Db, inTransaction, type StoredSilence } from '../../../platform/db/index.ts'
import { newId } from '../../../platform/ids.ts'
import * as store from './store.ts'

/** A silence that has ended is kept for as long as by Alertmanager. */
const KEPT_MS = 5 * DAY_MS

/** What a client says of a silence. */
export interface SilenceColumns {
  silence: StoredSilence
  starts_at: Date
  ends_at: Date
}

export type SilenceRow = SilenceColumns & { id: string; updated_at: Date }

const toSilence = ({ id, silence, starts_at, ends_at, updated_at }: store.WindowRow): SilenceRow[] =>
  silence === null ? [] : [{ id, silence, starts_at, ends_at, updated_at }]

/** The silences of a source, the newest first, those that have ended included. */
export const listSilences = async (db: Db, organization: number, sourceId: string): Promise<SilenceRow[]> =>
  (await store.listSourceWindows(db, organization, sourceId)).flatMap(toSilence)

export interface SilenceChange {
  organization: number
  sourceId: string
  actor: Actor
  at: Date
}

/**
 * Creates a silence, or changes the one of this id: one that has ended is followed by a new one. Gives its id; undefined where the
 * source has none of the id. Throws conflict over the bound of windows.
 */
export function saveSilence(
  on: Db,
  { organization, sourceId, actor, at }: SilenceChange,
  columns: SilenceColumns,
  id: string | undefined,
): Promise<string | undefined> {
  return inTransaction(on, async (db) => {
    const known = await listSilences(db, organization, sourceId)
    const changed = known.find((one) => one.id === id)
    if (id !== undefined && !changed) return undefined
    const name = truncateText(columns.silence.comment || 'silence', MAX_NAME_LENGTH)
    const record = (verb: 'created' | 'updated', windowId: string) =>
      recordAudit(db, organization, actor, auditEntry(`maintenance_window.${verb}`, 'maintenanceWindow', windowId, { name }), at)
    if (changed && changed.ends_at > at) {
      await store.updateWindow(db, organization, changed.id, { ...columns, name }, at)
      await record('updated', changed.id)
      return changed.id
    }
    for (const old of known.filter(({ ends_at: endsAt }) => at.getTime() - endsAt.getTime() > KEPT_MS))
      await store.deleteWindow(db, organization, old.id, at)
    await refuseOverBound(db, organization, 'maintenance_window')
    const target = { target_type: 'source', target_id: sourceId, target_tag: null } as const
    const window = { ...columns, ...target, id: newId(), name, repeat: null, time_zone: 'UTC', covers_since: null }
    await store.insertWindow(db, organization, window, at)
    await record('created', window.id)
    return window.id
  })
}

/** Ends a silence; whether the source has one of this id. */
export function endSilence(on: Db, { organization, sourceId, actor, at }: SilenceChange, id: string): Promise<boolean> {
  return inTransaction(on, async (db) => {
    const silence = (await listSilences(db, organization, sourceId)).find((one) => one.id === id)
    if (!silence) return false
    if (silence.ends_at <= at) return true
    const startsAt = silence.starts_at < at ? silence.starts_at : at
    await store.updateWindow(db, organization, id, { starts_at: startsAt, ends_at: at }, at)
    const details = { name: silence.silence.comment, changed: ['ends_at'] }
    await recordAudit(db, organization, actor, auditEntry('maintenance_window.updated', 'maintenanceWindow', id, details), at)
    return true
  })
}
