import type { ServerItem } from '@vedette/shared'
import { Ago } from '../../components/time.tsx'
import { hasPushed } from '../../lib/server-status.ts'
import { messages } from '../../messages/index.ts'

/** How long ago the last push of a server was. */
export function LastPush({ server }: { server: ServerItem }) {
  return hasPushed(server) ? <Ago at={server.last_seen_at} /> : messages.never
}
