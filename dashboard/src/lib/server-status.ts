import { NEW_SERVER_MS } from '@vedette/shared/tables'

/** The status of a server; one that registered a few minutes ago and never pushed is waited for. */
export function serverStatus(
  { status, last_seen_at, registered_at }: { status: string; last_seen_at: string; registered_at: string },
  nowMs: number,
): string {
  const isNew = last_seen_at === registered_at && nowMs - Date.parse(registered_at) < NEW_SERVER_MS
  return status === 'offline' && isNew ? 'pending' : status
}
