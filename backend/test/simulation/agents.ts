import { submitPush } from '../../src/hosts/metrics/ingest/submit.ts'
import type { Principal } from '../../src/access/auth/index.ts'
import type { Instance } from './instance.ts'
import { createIds } from './random.ts'
import type { Requests } from './requests.ts'
import type { Scene } from './scene.ts'
import type { World } from './world.ts'

/** Samples that are sent in one request, and again as the same bytes until they are acknowledged. */
interface Batch {
  body: string
  samples: ReadonlyMap<number, number>
}

/** What an agent knows of its samples: percent by instant. No instant is sent with two values. */
export interface Agent {
  server: Scene['servers'][number]
  sent: Map<number, number>
  acknowledged: Map<number, number>
  /** Sends a batch: a new one, one of some hours ago, or one again. */
  act(instance: Instance): void
  /** Sends until all is acknowledged; it gets a new token where its own is dead. */
  sendRest(instance: Instance, renew: () => void, rest: () => Promise<void>): Promise<void>
  /** Its server has a new token: the previous one is dead. */
  take(token: string): void
  /** One sample more, after all others. */
  sendLast(instance: Instance, renew: () => void, rest: () => Promise<void>): Promise<void>
  /** Whether its last sample, after all others, is over the threshold. */
  readonly isBusyAtLast: boolean
}

const INTERVAL_MS = 5_000

export function createAgent(world: World, requests: Requests, server: Scene['servers'][number]): Agent {
  const { random } = world
  const ids = createIds(random, () => world.nowMs)
  const sent = new Map<number, number>()
  const acknowledged = new Map<number, number>()
  let pending: Batch[] = []
  const former: Batch[] = []
  let isBusy = false
  let { token } = server
  let isBusyAtLast = false
  /** Tokens that are dead since they were replaced. */
  const dead: string[] = []

  function newBatch(agoMs: number, percent = random.chance(0.3) ? 95 : 5): Batch {
    const newestMs = Math.floor((world.nowMs - agoMs) / INTERVAL_MS) * INTERVAL_MS
    const samples = new Map<number, number>()
    for (let count = 1 + random.below(3); count > 0; count -= 1) {
      const atMs = newestMs - (count - 1) * INTERVAL_MS
      if (!sent.has(atMs)) samples.set(atMs, percent)
    }
    for (const [atMs, value] of samples) sent.set(atMs, value)
    const columns = { at_ms: [...samples.keys()], cpu: { percent: [...samples.values()] } }
    const about = { batch_id: ids.any(), sent_at: new Date(world.nowMs).toISOString(), agent_version: '1' }
    return { body: JSON.stringify({ ...about, columns }), samples }
  }

  async function send(instance: Instance, batch: Batch, usesOld = dead.length > 0 && random.chance(0.25)): Promise<void> {
    isBusy = true
    const used = usesOld ? random.pick(dead) : token
    const wasDead = dead.includes(used)
    try {
      await requests.send(instance, `a push of server ${server.number}`, async ({ authenticator, pushing }) => {
        const headers = { apiKey: used, authorization: undefined, organizationId: undefined }
        const principal = await authenticator.authenticateCached(headers)
        return submitPush(pushing, principal as Principal, () => JSON.parse(batch.body) as unknown)
      })
      if (wasDead) world.failures.push(new Error('a token that was replaced stores samples'))
      for (const [atMs, percent] of batch.samples) acknowledged.set(atMs, percent)
      pending = pending.filter((one) => one !== batch)
      former.push(batch)
    } catch (error) {
      if ((error as { code?: string }).code === 'validation_error') throw error
      // It is sent again.
      if (!former.includes(batch) && !pending.includes(batch)) pending.push(batch)
    } finally {
      isBusy = false
    }
  }

  async function sendRest(instance: Instance, renew: () => void, rest: () => Promise<void>): Promise<void> {
    for (let tries = 0; pending[0]; tries += 1) {
      if (tries > 1_000) throw new Error(`server ${server.number} does not get rid of its samples`)
      // The answer with its new token was lost.
      if (tries === 2) renew()
      else void send(instance, pending[0], false)
      await rest()
    }
  }

  return {
    server,
    sent,
    acknowledged,
    take: (next) => {
      dead.push(token)
      token = next
    },
    act: (instance) => {
      if (isBusy) return
      const [first] = pending
      if (first && random.chance(0.7)) return void send(instance, first)
      if (former.length > 0 && random.chance(0.15)) return void send(instance, random.pick(former))
      const batch = newBatch(random.chance(0.15) ? random.below(30) * 600_000 : 0)
      if (batch.samples.size > 0) void send(instance, batch)
    },
    sendRest,
    sendLast: async (instance, renew, rest) => {
      isBusyAtLast = random.chance(0.5)
      pending.push(newBatch(0, isBusyAtLast ? 95 : 5))
      await sendRest(instance, renew, rest)
    },
    get isBusyAtLast() {
      return isBusyAtLast
    },
  }
}
