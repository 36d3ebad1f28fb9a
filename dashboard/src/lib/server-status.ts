import { NEW_SERVER_MS } from '@vedette/shared/tables'

/** Before the first push, the API has the registration as the time of the last one. */
export const hasPushed = ({ last_seen_at, registered_at }: { last_seen_at: string; registered_at: string }): boolean =>
  last_seen_at !== registered_at

/** The status of a server; one that registered a few minutes ago and never pushed is waited for. */
export function serverStatus(server: { status: string; last_seen_at: string; registered_at: string }, nowMs: number): string {
  const isNew = !hasPushed(server) && nowMs - Date.parse(server.registered_at) < NEW_SERVER_MS
  return server.status === 'offline' && isNew ? 'pending' : server.status
}
