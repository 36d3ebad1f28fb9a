import { type SessionItem, type SessionList, toTimestamp } from '@vedette/shared'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { notFound } from '../../platform/errors.ts'
import { encodeId } from '../../platform/ids.ts'
import { auditUser } from './account.ts'
import type { UserPrincipal } from './principal.ts'
import { deleteExpiredVerifications } from './email-store.ts'
import { deleteExpiredResets } from './reset-store.ts'
import * as store from './session-store.ts'

interface SessionDeps {
  db: Db
  clock: Clock
}

/** The caller's valid sessions, newest first. */
export async function listSessions(
  { db, clock }: SessionDeps,
  { userId, sessionId }: UserPrincipal,
  { page, limit }: PageRequest,
): Promise<SessionList> {
  const at = new Date(clock.now())
  const { total, rows } = await store.listSessions(db, userId, at, { page, limit })
  return { sessions: rows.map((row) => toSessionItem(row, sessionId)), total, page, limit }
}

function toSessionItem(row: store.SessionRow, currentId: string): SessionItem {
  return {
    id: encodeId('session', row.id),
    current: row.id === currentId,
    remembered: row.is_remembered,
    wall: row.is_of_wall,
    ip: row.ip,
    user_agent: row.user_agent,
    created_at: toTimestamp(row.created_at.getTime()),
    last_used_at: row.last_used_at && toTimestamp(row.last_used_at.getTime()),
    expires_at: toTimestamp(row.expires_at.getTime()),
  }
}

/** Ends one of the caller's sessions, also the present one. Throws not_found when it has ended, is unknown or another user's. */
export async function endSession({ db, clock }: SessionDeps, { userId }: UserPrincipal, id: string, ip: string): Promise<void> {
  const at = new Date(clock.now())
  await inTransaction(db, async (transaction) => {
    if (!(await store.endSession(transaction, userId, id, at))) throw notFound()
    await auditUser(transaction, userId, ip, { action: 'session.ended', target: { kind: 'session', id } }, at)
  })
}

/** Deletes expired sessions and mailed links. */
export async function deleteExpired(db: Db, nowMs: number): Promise<void> {
  const at = new Date(nowMs)
  await store.deleteExpiredSessions(db, at)
  await deleteExpiredResets(db, at)
  await deleteExpiredVerifications(db, at)
}
