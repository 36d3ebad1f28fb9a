import { useQuery } from '@tanstack/react-query'
import { useCache, useViewer } from '../lib/api.ts'
import { messages } from '../messages/index.ts'
import { toast } from './toast.tsx'

/** Nouns of the client whose deleted resources can be restored: their noun there, and those of the cache that show them. */
const KINDS = {
  alertRules: ['deletedAlertRules', 'alert-rules'],
  alertSources: ['deletedAlertSources', 'alert-sources'],
  channels: ['deletedChannels', 'channels', 'alert-rules', 'slos', 'escalation-policies'],
  escalationPolicies: ['deletedEscalationPolicies', 'escalation-policies', 'alert-rules'],
  identityProviders: ['deletedIdentityProviders', 'identity-providers'],
  maintenanceWindows: ['deletedMaintenanceWindows', 'maintenance-windows'],
  schedules: ['deletedSchedules', 'schedules', 'escalation-policies'],
  slos: ['deletedSlos', 'slos'],
  statusPages: ['deletedStatusPages', 'status-pages'],
} as const
export type Restorable = keyof typeof KINDS

/** The most that one answer of the API has. */
const SHOWN = 100

/** The last deleted ones. */
export function useDeleted(of: Restorable) {
  const { client, organizationId } = useViewer()
  const [deleted, noun] = KINDS[of]
  return useQuery({
    queryKey: [organizationId, noun, 'deleted'],
    queryFn: ({ signal }) => client[deleted].list({ limit: SHOWN }, { signal }),
    staleTime: 0,
  })
}

/** Brings a deleted one back, says so, and shows it everywhere again. */
export function useRestore(of: Restorable): (id: string, name: string) => Promise<void> {
  const { client } = useViewer()
  const cache = useCache()
  return async (id, name) => {
    await client[of].restore(id)
    toast(messages.done.restored(name))
    for (const noun of KINDS[of].slice(1)) await cache.invalidate(noun)
  }
}
