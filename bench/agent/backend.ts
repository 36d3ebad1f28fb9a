import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { BINARY_PUSH_TYPE, decodeBinaryPush } from '../../shared/src/hosts/metrics/binary-push.ts'
import { decodeInstants } from '../../shared/src/hosts/metrics/block/index.ts'
import { type SelfSigned, selfSigned } from '../../agent/test/tls.ts'

function instantsIn(body: Buffer, isBinary: boolean): number[] {
  if (isBinary) return decodeBinaryPush(body).batches.flatMap(({ block, t0Ms }) => [...decodeInstants(block, t0Ms)])
  const { batches } = JSON.parse(body.toString()) as { batches: { columns: { at_ms: number[] } }[] }
  return batches.flatMap(({ columns }) => columns.at_ms)
}

/** A backend that says yes to all, over TLS, and counts what came by token. */
export interface Yes {
  url: string
  certificate: SelfSigned
  samples(token: string): number
  /** Instant of the first sample of a token, ms since the epoch; undefined before it came. */
  firstAtMs(token: string): number | undefined
  close(): void
}

/** `timeOf`: the time of the backend, which the instants of a push may say. */
export async function startYes(timeOf: (instants: readonly number[]) => number = () => Date.now()): Promise<Yes> {
  const certificate = selfSigned('IP:127.0.0.1')
  const instants = new Map<string, number[]>()
  // As long as our backend's: a connection is kept from one push to the next.
  const options = { key: certificate.key, cert: certificate.cert, keepAliveTimeout: 75_000 }
  const server = createServer(options, (request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      if (request.method === 'PUT') return void response.writeHead(204).end()
      const body = Buffer.concat(pieces)
      const token = String(request.headers['x-api-key'])
      const own = instants.get(token) ?? []
      const received = instantsIn(body, request.headers['content-type'] === BINARY_PUSH_TYPE)
      own.push(...received)
      instants.set(token, own)
      const answer = { accepted: 1, duplicates: 0, rejected: [], server_time: new Date(timeOf(received)).toISOString() }
      response.writeHead(202, { 'content-type': 'application/json', accept: BINARY_PUSH_TYPE }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate,
    samples: (token) => instants.get(token)?.length ?? 0,
    firstAtMs: (token) => instants.get(token)?.[0],
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
