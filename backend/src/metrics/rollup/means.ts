import { hash } from 'node:crypto'
import type { HourOf, HourSpan, ServerKey } from './store.ts'

/**
 * What the hours of the day under way add up to over 5 minutes, kept from when they were put together until the day is: a day that is
 * made of it reads and inflates none of its samples. It only spares work: what is not here is made from the samples.
 */
export interface Means {
  keep(hour: Omit<HourOf, 'data'>, parts: Uint8Array): void
  /** Undefined as well where the hour is not what it was: then it has got samples that came late, which its header counts. */
  find(hour: Omit<HourOf, 'data'>): Uint8Array | undefined
  /** Whether it may have something of this server for some hour of these. */
  knows(server: ServerKey, span: HourSpan): boolean
  /** Hours before this one are in their days. */
  forgetBefore(hour: number): void
}

/** A day of a server takes some 40 kB, so that this is some 2,000 servers. What a larger fleet has besides is made from the samples. */
export const MEANS_BYTES = 96 * 1024 * 1024
/** Beside the bytes themselves. */
const ENTRY_BYTES = 300
const HOURS = 24

interface Kept {
  /** Of the header, which need not be kept. */
  digest: string
  parts: Uint8Array
}

/** Room is set aside for all hours of a day: with one missing, the others are of no use. */
interface Own {
  room: number
  hours: Map<number, Kept>
}

const nameOf = ({ organization, server }: ServerKey): string => `${organization}/${server}`
const digestOf = (header: Uint8Array): string => hash('sha256', header, 'base64')
const bytesOf = (parts: Uint8Array): number => parts.length + ENTRY_BYTES

export function createMeans(maxBytes = MEANS_BYTES): Means {
  const byServer = new Map<string, Own>()
  let room = 0

  function makeRoom(own: Own, bytes: number): boolean {
    const missing = Math.max(0, bytes - own.room)
    if (room + missing > maxBytes) return false
    room += missing
    own.room += missing
    return true
  }

  return {
    keep: (hour, parts) => {
      const own = byServer.get(nameOf(hour)) ?? { room: 0, hours: new Map<number, Kept>() }
      let bytes = bytesOf(parts)
      for (const [other, kept] of own.hours) if (other !== hour.hour) bytes += bytesOf(kept.parts)
      if (!makeRoom(own, own.hours.size === 0 ? bytes * HOURS : bytes)) return
      own.hours.set(hour.hour, { digest: digestOf(hour.header), parts })
      byServer.set(nameOf(hour), own)
    },
    find: (hour) => {
      const kept = byServer.get(nameOf(hour))?.hours.get(hour.hour)
      return kept && kept.digest === digestOf(hour.header) ? kept.parts : undefined
    },
    knows: (server, { from, to }) =>
      [...(byServer.get(nameOf(server))?.hours.keys() ?? [])].some((hour) => hour >= from && hour < to),
    forgetBefore: (before) => {
      for (const [name, own] of byServer) {
        for (const hour of own.hours.keys()) if (hour < before) own.hours.delete(hour)
        if (own.hours.size > 0) continue
        byServer.delete(name)
        room -= own.room
      }
    },
  }
}
