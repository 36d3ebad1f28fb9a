import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Credentials,
  startTestBackend,
  type TestBackend,
  type TestOptions,
  type TestOrganization,
} from '../../../../test/harness.ts'

import { EXPORT_PATH_HEADER, type SeriesFamily } from '../../../hosts/series/index.ts'
import { setStale } from '../../../querying/promql/index.ts'
import { encodeRemoteWrite, REMOTE_WRITE_HEADERS } from '../encode/remote-write.ts'

export const startScene = (options: TestOptions = {}): Promise<TestBackend> =>
  startTestBackend({ environment: { VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' }, ...options })

/** Longer than a push may take to be committed. */
export const SETTLED_MS = 12_000

const iso = (ms: number) => new Date(ms).toISOString()

/** Pushes samples of the last time, ten seconds apart, the newest now. */
export async function push(
  backend: TestBackend,
  as: Credentials,
  count = 1,
  first = 1,
  entities: readonly object[] = [],
): Promise<void> {
  const nowMs = backend.clock.now()
  const samples = Array.from({ length: count }, (_, index) => {
    const value = first + index
    return {
      at: iso(nowMs - (count - 1 - index) * 10_000),
      cpu: { percent: value / 4, user_percent: value / 8, cores: 4, load_1: value / 100 },
      memory: { used_bytes: value * 1_000_000_007, total_bytes: 8_589_934_592_000, swap_used_bytes: value },
      network: { rx_bytes_per_sec: value * 1.5 },
      tcp: { established: value, time_wait: 2 * value },
    }
  })
  const body = {
    batch_id: randomUUID(),
    sent_at: iso(nowMs),
    agent_version: '1',
    samples,
    filesystems: [{ mount: '/', fs_type: 'ext4', used_bytes: 17_179_869_184, total_bytes: 42_949_672_960, percent: 41.5 }],
    ...(entities.length > 0 && { entities }),
    interfaces: [{ name: 'eth0', rx_bytes_per_sec: 1_200.5, tx_bytes_per_sec: 830 }],
  }
  const answer = await backend.call('POST', '/v1/agent/metrics', { as, body })
  if (answer.status !== 202 || answer.body.rejected.length > 0) throw new Error(JSON.stringify(answer.body))
}

export async function createExport(backend: TestBackend, as: Credentials, body: object): Promise<string> {
  const answer = await backend.call('POST', '/v1/exports', { as, body: { name: 'Store', kind: 'remote_write', ...body } })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body.id
}

/** Sends series by remote write, as another program does. Of a value that is undefined a stale marker. */
export async function write(
  backend: TestBackend,
  as: Credentials,
  series: readonly { labels: Record<string, string>; samples: readonly (readonly [atMs: number, value: number | undefined])[] }[],
  { families = [], exportPath }: { families?: readonly SeriesFamily[]; exportPath?: string } = {},
): Promise<void> {
  const all = series.map(({ labels: { __name__: name = '', ...labels }, samples }) => {
    const values = Float64Array.from(samples, ([, value]) => value ?? 0)
    for (const [index, [, value]] of samples.entries()) if (value === undefined) setStale(values, index)
    const resource = { id: '', attributes: {}, scope: '' }
    return { resource, name, unit: '', labels, isCounter: false, atMs: Float64Array.from(samples, ([at]) => at), values }
  })
  const headers = { ...REMOTE_WRITE_HEADERS, ...(exportPath !== undefined && { [EXPORT_PATH_HEADER]: exportPath }) }
  const body = encodeRemoteWrite(all, families)
  const answer = await backend.call('POST', '/v1/prometheus/api/v1/write', { as, body, headers })
  if (answer.status !== 204) throw new Error(JSON.stringify(answer.body))
}

export const stateOf = async (backend: TestBackend, as: Credentials, id: string) =>
  (await backend.call('GET', `/v1/exports/${id}`, { as })).body.state

export interface Received {
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A receiver that answers as a test says: 204, unless it says otherwise. */
export async function startReceiver() {
  const received: Received[] = []
  const answer: { status: number; headers: Record<string, string>; text: string | Uint8Array } = {
    status: 204,
    headers: {},
    text: '',
  }
  const receiver: { onReceived?: () => void } = {}
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { status, headers, text } = answer
      received.push({ headers: request.headers, body: Buffer.concat(chunks) })
      // Later requests may be answered in another way.
      receiver.onReceived?.()
      response.writeHead(status, headers).end(text)
    })
  })
  const listen = async (port = 0) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen()
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return Object.assign(receiver, { received, answer, url: `http://127.0.0.1:${port}/write`, close, reopen: () => listen(port) })
}

/** The same for the same labels. */
export const keyOf = (metric: Record<string, string>): string =>
  JSON.stringify(Object.entries(metric).toSorted(([one], [other]) => (one < other ? -1 : 1)))

export type SeriesOf = Record<string, [number, string][]>

/** Every sample of the last hour that matches, by the labels. */
export async function readAll(backend: TestBackend, organization: TestOrganization, selector: string): Promise<SeriesOf> {
  const as = await backend.apiKey(organization, 'read')
  const search = new URLSearchParams({ query: `${selector}[1h]`, time: String(backend.clock.now() / 1_000) }).toString()
  const { status, body } = await backend.call('GET', `/v1/prometheus/api/v1/query?${search}`, { as })
  if (status !== 200) throw new Error(JSON.stringify(body))
  const found = body.data.result as { metric: Record<string, string>; values: [number, string][] }[]
  return Object.fromEntries(found.map(({ metric, values }) => [keyOf(metric), values]))
}
