import { patchRule } from '../../src/alerting/alerts/rules/service.ts'
import { hashSecret } from '../../src/access/auth/index.ts'
import { acknowledgeIncident, commentIncident, resolveIncidentManually } from '../../src/alerting/incidents/service.ts'
import { regenerateToken } from '../../src/hosts/servers/service.ts'
import type { Agent } from './agents.ts'
import { type Instance, ownerOf } from './instance.ts'
import type { Requests } from './requests.ts'
import type { Scene } from './scene.ts'
import type { Sessions } from './sessions.ts'
import type { World } from './world.ts'

export interface People {
  /** Texts of comments, and whether their storing was acknowledged. */
  comments: ReadonlyMap<string, boolean>
  /** How often a new token was requested. */
  readonly renewals: number
  /** Gives a server a new token. */
  renew(instance: Instance, agent: Agent): void
  /** Resolves when it has begun. */
  act(instance: Instance, canResolve: boolean): Promise<void>
}

/** Who handles incidents, changes rules and replaces tokens. */
export function createPeople(
  world: World,
  requests: Requests,
  scene: Scene,
  sessions: Sessions,
  agents: readonly Agent[],
): People {
  const { random } = world
  const actor = ownerOf(scene.tenant, scene.ownerId)
  const comments = new Map<string, boolean>()
  const send = (instance: Instance, label: string, work: (on: Instance) => Promise<unknown>, answered = () => {}): void =>
    void requests.send(instance, label, work).then(answered, () => undefined)

  async function handleIncident(instance: Instance, canResolve: boolean): Promise<void> {
    const open = await sessions.read<{ id: string }>(
      `select id from incident where status = 'open' order by at, rule_id, target_id`,
    )
    if (open.length === 0) return
    const { id } = random.pick(open)
    if (canResolve && random.chance(0.2)) return send(instance, 'resolve', (on) => resolveIncidentManually(on, actor, id))
    const comment = `comment ${comments.size}`
    comments.set(comment, false)
    const isOnlyComment = random.chance(0.4)
    const write = (on: Instance) =>
      isOnlyComment ? commentIncident(on, actor, id, comment) : acknowledgeIncident(on, actor, id, { comment })
    send(
      instance,
      isOnlyComment ? 'comment' : 'acknowledge',
      async (on) => write(on),
      () => void comments.set(comment, true),
    )
  }

  let renewals = 0
  const renew = (instance: Instance, agent: Agent): void => {
    renewals += 1
    void requests
      .send(instance, 'new token', (on) => regenerateToken(on as never, actor, agent.server.uuid))
      .then(
        ({ token }) => agent.take(token),
        () => undefined,
      )
  }

  return {
    comments,
    get renewals() {
      return renewals
    },
    renew,
    act: async (instance, canResolve) => {
      const at = random.fraction()
      if (at < 0.6) return handleIncident(instance, canResolve)
      if (at < 0.8) return renew(instance, random.pick(agents))
      const change = random.chance(0.5) ? { name: `rule ${random.below(9)}` } : { for_seconds: 60 * (1 + random.below(2)) }
      return send(instance, 'change of a rule', (on) => patchRule(on, actor, scene.rules.slow, change))
    },
  }
}

export interface Pinger {
  /** Instants of pings that were sent, and of those that were acknowledged. */
  sent: number[]
  acknowledged: number[]
  act(instance: Instance): void
}

/** The job that a heartbeat waits for. */
export function createPinger(world: World, requests: Requests, { token }: Scene['heartbeat']): Pinger {
  const [sent, acknowledged]: [number[], number[]] = [[], []]
  let isBusy = false
  const about = { exitCode: null, rid: null, reportedMs: null, body: null, method: 'GET', address: '192.0.2.1', userAgent: null }
  return {
    sent,
    acknowledged,
    act: (instance) => {
      if (isBusy) return
      isBusy = true
      const [atMs, kind] = [world.nowMs, world.random.pick(['success', 'success', 'start', 'fail'] as const)]
      sent.push(atMs)
      const target = { hash: hashSecret(token), slug: null }
      requests
        .send(instance, 'ping', ({ pings }) => pings.take({ ...about, kind, target, atMs }))
        .then(
          () => acknowledged.push(atMs),
          () => undefined,
        )
        .finally(() => (isBusy = false))
    },
  }
}
