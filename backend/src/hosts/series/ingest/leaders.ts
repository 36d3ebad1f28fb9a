import { SECOND_MS } from '@vedette/shared'
import { leadOrFindLeader } from '../../../access/api-keys/index.ts'
import type { Db } from '../../../platform/db/index.ts'

/** As other receivers have it: two scrapes of 15 s are missing. */
export const SILENT_MS = 30 * SECOND_MS
/** How often it is written that the leader still sends: so much too early another process may let the other one lead. */
const STORED_MS = SECOND_MS
/** Some 200 bytes each. What is dropped is read again. */
const MAX_KNOWN = 10_000

interface KeyOfReplicas {
  organization: number
  id: string
  /** The label whose values replicas are. */
  label: string
}

export interface Leaders {
  /** Whether the series of this replica count. It leads from its first request on, or once the leading one is silent. */
  leads(key: KeyOfReplicas, replica: string, nowMs: number): Promise<boolean>
}

/** Of the copies of a Prometheus that send with one key one leads, in all processes the same. */
export function createLeaders(db: Db): Leaders {
  const known = new Map<string, { replica: string; seenAtMs: number; storedAtMs: number }>()

  return {
    leads: async ({ organization, id, label }, replica, nowMs) => {
      const name = `${id} ${label}`
      const leader = known.get(name)
      if (leader?.replica === replica && nowMs - leader.storedAtMs < STORED_MS) {
        leader.seenAtMs = nowMs
        return true
      }
      if (leader && leader.replica !== replica && nowMs - leader.seenAtMs < SILENT_MS) return false
      const wanted = { organization, id, replica, nowMs, silentMs: SILENT_MS }
      // Nothing is found where another process was the first at the same moment, or the key is gone.
      const found = (await leadOrFindLeader(db, wanted)) ?? (await leadOrFindLeader(db, wanted))
      if (!found) return true
      if (known.size >= MAX_KNOWN) known.clear()
      known.set(name, { replica: found.replica, seenAtMs: found.seenAtMs, storedAtMs: found.seenAtMs })
      return found.replica === replica
    },
  }
}
