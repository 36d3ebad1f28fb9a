import {
  DeliveryError,
  type OutboundRequest,
  type OutboundResponse,
} from '../../src/notifying/notifications/messages/delivery.ts'
import { currentProcess, type World } from './world.ts'

/** A notification as it arrived. */
export interface Receipt {
  /** Repeats of one notification have one id. */
  id: string
  url: string
  type: string
  incident: string
  /** Of a step of a policy or a reminder, its number; else undefined. */
  number: string | undefined
  atMs: number
  isQuiet: boolean
}

export interface Receiver {
  receipts: Receipt[]
  /** From now on each request is answered, some of them late. */
  beQuiet(): void
  /** From now on each request is answered at once. */
  beFast(): void
  send(request: OutboundRequest): Promise<OutboundResponse>
}

/** A sender gives up after this time. */
export const LIMIT_MS = 10_000
const ACCEPTED = { status: 204, headers: {}, text: '' }

/** Where the webhooks of all channels arrive. `fails` says whether the next request meets trouble. */
export function createReceiver(world: World, fails: () => boolean): Receiver {
  const { random } = world
  const receipts: Receipt[] = []
  let isQuiet = false
  let isFast = false
  const record = ({ url, headers, body }: OutboundRequest): void => {
    const { type, data } = JSON.parse(String(body))
    const number = data.escalation_step ?? (data.reminder === undefined ? undefined : `reminder ${data.reminder}`)
    const about = { type, incident: data.incident.id, number: number === undefined ? undefined : String(number) }
    receipts.push({ id: String(headers?.['webhook-id']), url, ...about, atMs: world.nowMs, isQuiet })
  }
  return {
    receipts,
    beQuiet: () => (isQuiet = true),
    beFast: () => (isFast = true),
    send: (request) => {
      const owner = currentProcess()
      return new Promise((resolve, reject) => {
        const run = () => {
          const trouble = fails() ? random.below(3) : undefined
          const label = `${owner?.name} sends to ${request.url}`
          if (trouble === 0) {
            world.note(`${label}: nobody is there`)
            return reject(new DeliveryError('connect', 'the connection was refused'))
          }
          record(request)
          if (trouble === 1) {
            world.note(`${label}: the answer is lost`)
            world.after(LIMIT_MS, () => reject(new DeliveryError('timeout', 'no response')), owner)
          } else if (trouble === 2) {
            world.note(`${label}: refused`)
            resolve({ ...ACCEPTED, status: 500 })
          } else {
            const ms = !isFast && random.chance(isQuiet ? 0.5 : 0.2) ? random.below(LIMIT_MS - 1_000) : 0
            world.note(`${label}: accepted after ${ms} ms`)
            if (ms === 0) resolve(ACCEPTED)
            else world.after(ms, () => resolve(ACCEPTED), owner)
          }
        }
        world.offer({ owner, label: 'send', run })
      })
    },
  }
}
