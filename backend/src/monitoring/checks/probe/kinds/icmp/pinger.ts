import type { Fault } from '../../phases/fault.ts'

/** Echo requests to one address. */
export interface PingOrder {
  address: string
  family: 4 | 6
  packets: number
  /** Of the payload. */
  packetBytes: number
  /** The time for all of it. */
  timeoutMs: number
}

export interface PingEvents {
  /** The reply to the packet of this index, from 0; `rttUs` is its round trip. At most once for each packet. */
  reply(index: number, rttUs: number): void
  /** All replies are there, or those that are missing are lost. Not called without any reply: the timeout ends the check. */
  end(): void
  fault(fault: Fault): void
}

/** One way to send echo requests. */
export interface Pinger {
  /** Returns a function that cancels; no event follows it. */
  start(order: PingOrder, events: PingEvents): () => void
}

/** Between two packets: a burst would measure a queue. Shorter where the timeout demands it. */
export const gapMsOf = ({ packets, timeoutMs }: PingOrder): number => Math.min(200, timeoutMs / (packets + 1))
