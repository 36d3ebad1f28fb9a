import { type Credentials, startTestBackend, type TestBackend, type TestOptions } from './harness.ts'
import type { Answer, Loose } from './answer.ts'

/** A backend with an organization whose jobs send pings. */
export async function startHeartbeatScene(options: TestOptions = {}) {
  const backend: TestBackend = await startTestBackend(options)
  const organization = await backend.organization()
  // A key: sessions end while the clock moves on.
  const admin: Credentials = await backend.apiKey(organization, 'admin')
  const api = (method: string, path: string, body?: unknown, as = admin): Promise<Answer> =>
    backend.call(method, `/v1${path}`, { as, body })
  const make = async (body: object = {}): Promise<Loose> => {
    const schedule = { period_seconds: 300, grace_seconds: 60 }
    const given = { name: 'Nightly backup', type: 'heartbeat', url: 'heartbeat://', options: { schedule }, ...body }
    const answer = await api('POST', '/monitors', given)
    if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const pathOf = (url: string): string => new URL(url).pathname
  return {
    backend,
    organization,
    admin,
    api,
    make,
    /** Sends a ping to the address of a monitor, and gives the status and the text of the answer. */
    ping: async (
      monitor: { ping_url?: string },
      suffix = '',
      ping: { method?: string; body?: unknown; headers?: Record<string, string>; ip?: string } = {},
    ) => {
      const { method = 'GET', ...rest } = ping
      const { status, body } = await backend.call(method, `${pathOf(monitor.ping_url ?? '')}${suffix}`, rest)
      return [status, body] as const
    },
    pathOf,
    details: async (id: string): Promise<Loose> => (await api('GET', `/monitors/${id}`)).body,
    pings: async (id: string): Promise<Loose[]> => (await api('GET', `/monitors/${id}/pings`)).body.pings,
    /** Moves the time on and looks for missed pings. */
    pass: async (seconds: number): Promise<void> => {
      backend.clock.advance(seconds * 1_000)
      await backend.vedette.watchHeartbeats()
    },
  }
}
export type HeartbeatScene = Awaited<ReturnType<typeof startHeartbeatScene>>
