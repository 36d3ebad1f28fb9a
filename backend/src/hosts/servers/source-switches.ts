import type { OptionalSource } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { listSourcesOff } from './store.ts'

/** A push costs no query for this: a change reaches the agent that much later. */
const EVERY_MS = 5_000

export interface SourceSwitches {
  /** What the agent of a server must not read; undefined: it reads all. A promise before the first reading of the table. */
  of(serverId: string): readonly OptionalSource[] | undefined | Promise<readonly OptionalSource[] | undefined>
}

/** The switches of all servers, read again at a push if they are older than five seconds. After a failed read the old ones stay. */
export function createSourceSwitches({ db, clock }: { db: Db; clock: Clock }): SourceSwitches {
  let switches: ReadonlyMap<string, readonly OptionalSource[]> | undefined
  let readMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  const read = async () => {
    try {
      const rows = await listSourcesOff(db)
      switches = new Map(rows.map(({ id, sources_off }) => [id, sources_off]))
      readMs = clock.now()
    } finally {
      reading = undefined
    }
  }
  return {
    of: (serverId) => {
      const nowMs = clock.now()
      const isOld = nowMs < readMs || nowMs - readMs >= EVERY_MS
      if (isOld) reading ??= read()
      if (switches) {
        // The next push reads again.
        reading?.catch(() => undefined)
        return switches.get(serverId)
      }
      return reading?.then(() => switches?.get(serverId))
    },
  }
}
