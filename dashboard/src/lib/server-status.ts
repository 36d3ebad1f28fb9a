import { NEW_SERVER_MS } from '@vedette/shared/tables'

/** Before the first push, the API has the registration as the time of the last one. */
export const hasPushed = ({ last_seen_at, registered_at }: { last_seen_at: string; registered_at: string }): boolean =>
  last_seen_at !== registered_at

/** The status of a server in a list: of one that is online what is wrong with it. */
export function worstStatus(server: Parameters<typeof serverStatus>[0] & { health: { status: string } }, nowMs: number): string {
  const status = serverStatus(server, nowMs)
  return status === 'online' && isUnwell(server.health.status) ? server.health.status : status
}

/** Whether the health of a server is shown in place of `online`. */
export const isUnwell = (health: string): boolean => health === 'critical' || health === 'warning'

/** The status of a server; one that registered a few minutes ago and never pushed is waited for. */
export function serverStatus(server: { status: string; last_seen_at: string; registered_at: string }, nowMs: number): string {
  const isNew = !hasPushed(server) && nowMs - Date.parse(server.registered_at) < NEW_SERVER_MS
  return server.status === 'offline' && isNew ? 'pending' : server.status
}
