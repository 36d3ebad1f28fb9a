import type { Clock } from '../src/process/clock.ts'
import type { Log } from '../src/process/log.ts'
import type { SpoolFolder } from '../src/spool/folder.ts'
import { DEFAULT_LIMITS, type SpoolLimits } from '../src/spool/segment-store.ts'
import { Spool } from '../src/spool/spool.ts'

/** A spool whose batches are named batch-0, batch-1, …; without a folder it is in memory. */
export function createTestSpool(clock: Clock, log: Log, folder?: SpoolFolder, limits: Partial<SpoolLimits> = {}): Spool {
  let ids = 0
  return new Spool({
    clock,
    log,
    folder,
    newId: () => `batch-${ids++}`,
    agentVersion: '0.1.0',
    limits: { ...DEFAULT_LIMITS, ...limits },
  })
}
