import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchBackend, post, readWhenThere, register, signIn, startBackend } from '../lib/backend.ts'
import { type Account, account, rowsOf, unstored } from './account.ts'
import { AgentUnderFault, type AgentOptions } from './agent-under-fault.ts'
import { FaultProxy } from './fault-proxy.ts'

export interface World {
  port: number
  /** A new host, registered, with its own way to the backend. */
  agent(options: AgentOptions): Promise<AgentUnderFault>
  /** Another token for its server; the old one is dead when this settles. */
  rotate(agent: AgentUnderFault): Promise<string>
  /** Whether a push with this token is taken. */
  isTaken(token: string): Promise<boolean>
  /** Waits until all that was taken is stored, but for `expected`, and stops the agent; then the account. */
  settle(agent: AgentUnderFault, limitSeconds: number, expected?: () => number): Promise<Account>
  /** Numbers of the samples that the agent had and that are not stored. */
  unstored(agent: AgentUnderFault): Promise<number[]>
  /** Of rows received since `sinceMs`, how long after its newest sample the latest live one was stored. */
  liveLatenessSeconds(agent: AgentUnderFault, sinceMs: number): Promise<number>
  stop(): Promise<void>
}

export async function startWorld(): Promise<World> {
  const backend = await startBackend('serve')
  const key = await readWhenThere(join(backend.dataDir, 'bench.key'))
  const target = Number(new URL(backend.url).port)
  let last: Promise<unknown> = Promise.resolve()
  // There is one connection to the database, and agents settle at the same time.
  const inTurn = <T>(read: () => Promise<T>): Promise<T> => {
    const found = last.then(read)
    last = found.catch(() => undefined)
    return found
  }
  return {
    port: target,
    agent: async (options) => {
      const { server_id: serverId, token } = await register(backend.url, key, 'faults')
      const agent = new AgentUnderFault(new FaultProxy(target), { serverId, token }, options)
      await agent.prepare()
      return agent
    },
    rotate: (agent) => rotateToken(backend, agent.host.serverId),
    settle: (agent, limitSeconds, expected = () => 0) => {
      return settle(() => inTurn(() => account(backend, agent)), agent, limitSeconds, expected)
    },
    unstored: (agent) => inTurn(() => unstored(backend, agent)),
    liveLatenessSeconds: async (agent, sinceMs) => {
      const rows = await inTurn(() => rowsOf(backend, agent.host.serverId))
      const live = rows.filter(({ receivedAtMs, tLastMs }) => receivedAtMs >= sinceMs && tLastMs >= sinceMs)
      return Math.max(0, ...live.map(({ receivedAtMs, tLastMs }) => (receivedAtMs - tLastMs) / 1_000))
    },
    isTaken: async (token) => {
      const headers = { 'x-api-key': token, 'content-type': 'application/json' }
      // Credentials are checked before the body: with a good token this is a 400.
      const { status } = await fetch(`${backend.url}/v1/agent/metrics`, { method: 'POST', headers, body: '{"batches":[]}' })
      return status !== 401
    },
    stop: () => backend.stop(),
  }
}

/** Of a running agent, what was taken since its last push is never stored: so many are no reason to wait. */
const PENDING = 12

async function settle(
  read: () => Promise<Account>,
  agent: AgentUnderFault,
  limitSeconds: number,
  expected: () => number,
): Promise<Account> {
  const limitMs = Date.now() + limitSeconds * 1_000
  for (;;) {
    const isLate = Date.now() > limitMs
    const found = await read()
    if (isLate || found.taken - found.stored - expected() <= PENDING) {
      await agent.stop()
      const final = await read()
      // The last push may have found the backend busy: what it left is in the spool.
      const isWhole = final.taken - final.stored <= expected()
      if (isLate && !isWhole)
        console.error(`samples are not stored after ${limitSeconds} s; the agent's last words:\n${agent.output.slice(-4_000)}`)
      if (isLate || isWhole) return final
      agent.start()
      // The newest batch is sent first, also when it stops: one that is stopped soon after each start would never send the others.
      await Promise.race([agent.emptied(), sleep(Math.max(0, limitMs - Date.now()))])
    }
    await sleep(1_000)
  }
}

async function rotateToken({ url }: BenchBackend, serverId: string): Promise<string> {
  const path = `${url}/v1/servers/${serverId}/regenerate-token`
  const { token } = (await post(path, { authorization: `Bearer ${await signIn(url)}` })) as { token: string }
  return token
}
