import type { SampleColumns } from '../../shared/src/hosts/metrics/block/index.ts'
import type { BenchBackend } from '../lib/backend.ts'
import type { Peer } from '../lib/peers.ts'
import { call } from '../lib/queries.ts'
import { cut, toBody } from './host-samples.ts'
import { toRemoteWrite } from './remote-write.ts'

const HOUR = 3_600_000
const STEP = 10_000

/** Sends samples of a host to the backend and, by remote write, to the peer. */
export async function sendSamples(
  { backend, victoria, endMs }: { backend: BenchBackend; victoria?: Peer | undefined; endMs: number },
  host: { name: string; token: string },
  columns: SampleColumns,
): Promise<void> {
  for (const [from, to] of cuts(columns, endMs)) {
    const part = cut(columns, from, to)
    await Promise.all([
      push(backend, host.token, part),
      victoria &&
        call(`http://127.0.0.1:${victoria.port}/api/v1/write`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
          body: toRemoteWrite(host.name, part),
        }),
    ])
  }
}

async function push(backend: BenchBackend, token: string, columns: SampleColumns): Promise<void> {
  const body = JSON.stringify({ batches: [toBody(columns)] })
  const headers = { 'content-type': 'application/json', 'x-api-key': token }
  const answer = await call(`${backend.url}/v1/agent/metrics`, { method: 'POST', headers, body })
  if (!answer.includes(`"accepted":${columns.atMs.length},`)) throw new Error(answer.slice(0, 300))
}

/** Where the samples are cut into pushes: at each hour, and in the last two hours after every six. */
function cuts({ atMs }: SampleColumns, endMs: number): [from: number, to: number][] {
  const found: [number, number][] = []
  for (let from = 0; from < atMs.length; ) {
    const at = atMs[from] as number
    const whole = (Math.floor(at / HOUR) + 1) * HOUR
    const untilMs = at < endMs - 2 * HOUR ? whole : Math.min(whole, at + 6 * STEP - 5_000)
    let to = from + 1
    while (to < atMs.length && (atMs[to] as number) < untilMs) to += 1
    found.push([from, to])
    from = to
  }
  return found
}
