import type { OutboundRequest, OutboundResponse } from '../../src/notifying/notifications/messages/delivery.ts'
import type { createIds, SeededRandom } from './random.ts'

/** What ids, random numbers and requests of the product are made of while a world runs. */
export interface Seeded {
  ids: ReturnType<typeof createIds>
  random: SeededRandom
  send(request: OutboundRequest): Promise<OutboundResponse>
}

export const seeded: { now: Seeded | undefined } = { now: undefined }
