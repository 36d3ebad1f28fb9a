import type { Pool } from '../platform/db/index.ts'
import { readSlotsOfMany, type SlotRow, type WantedSlots } from './dimension-store.ts'

interface Asked extends WantedSlots {
  resolve(slots: SlotRow[]): void
  reject(error: unknown): void
}

const MOST_AT_ONCE = 500

/**
 * Reads the slots of a server. Who asks while a statement is under way waits for the next one, which is for all of them: after a start
 * every host of a fleet is new to the process within a minute.
 */
export function createSlotReader(pool: Pick<Pool, 'ask'>): (organization: number, serverId: string) => Promise<SlotRow[]> {
  let waiting: Asked[] = []
  let isReading = false

  async function readAll(): Promise<void> {
    isReading = true
    while (waiting.length > 0) {
      const [batch, rest] = [waiting.slice(0, MOST_AT_ONCE), waiting.slice(MOST_AT_ONCE)]
      waiting = rest
      try {
        const found = await readSlotsOfMany(pool, batch)
        for (const [index, { resolve }] of batch.entries()) resolve(found[index] ?? [])
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isReading = false
  }

  return (organization, serverId) =>
    new Promise((resolve, reject) => {
      waiting.push({ organization, serverId, resolve, reject })
      if (!isReading) void readAll()
    })
}
