import { DAY_MS } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { occurrencesIn } from '../../../platform/time/recurrence.ts'
import { deletePastBefore, insertPast, type WindowRow } from './store.ts'

/** A day more than single checks are kept: what is older was counted when its day ended. */
const KEPT_MS = 36 * DAY_MS

/**
 * Keeps what a window has covered until now, so that neither a change nor a deletion of it counts the past again. Run it before either, in
 * its transaction.
 */
export async function keepPast(db: Db, organization: number, window: WindowRow, at: Date): Promise<void> {
  // Silences are of alerts, and no availability leaves them out.
  if (window.target_type === 'source') return
  const sinceMs = Math.max((window.covers_since ?? window.created_at).getTime(), at.getTime() - KEPT_MS)
  if (sinceMs < at.getTime() && occurrencesIn(window, sinceMs, at.getTime()).length > 0)
    await insertPast(db, organization, window, at)
}

/** Several processes may run it at once. */
export const deleteOldPast = (db: Db, nowMs: number): Promise<void> => deletePastBefore(db, new Date(nowMs - KEPT_MS))
