import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** A service on loopback that records requests and answers them with 204, or as `answer` sets. */
export interface Receiver {
  url: string
  received: Received[]
  /** How the next requests are answered; one that never answers hangs. */
  answer(respond: (response: ServerResponse, request: Received) => void): void
  /** Resolves when so many have come. */
  until(count: number): Promise<void>
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const waiting: { count: number; wake: () => void }[] = []
  let respond = (response: ServerResponse): void => void response.writeHead(204).end()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, path: url, headers, body: Buffer.concat(chunks).toString() }
      received.push(one)
      ;(respond as (response: ServerResponse, request: Received) => void)(response, one)
      for (const { count, wake } of waiting) if (received.length >= count) wake()
    })
    request.on('error', () => undefined) // cut by the sender
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: (next) => void (respond = next as typeof respond),
    until: (count) =>
      new Promise((wake) => {
        if (received.length >= count) wake()
        else waiting.push({ count, wake })
      }),
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => void server.close(() => resolve()))
    },
  }
}
