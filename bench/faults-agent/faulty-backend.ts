import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What stands in the backend's place, or a proxy in front of it that knows no better. */
export const ANSWERS = {
  '429': (response: ServerResponse) => response.writeHead(429).end(envelope('rate_limited')),
  '429 with Retry-After': (response: ServerResponse) =>
    response.writeHead(429, { 'retry-after': '3' }).end(envelope('rate_limited')),
  '500': (response: ServerResponse) => response.writeHead(500).end(envelope('internal_error')),
  '502 with HTML': (response: ServerResponse) =>
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
  '413 of a proxy': (response: ServerResponse) => response.writeHead(413).end('<h1>too large</h1>'),
  garbage: (response: ServerResponse) => response.writeHead(200).end('\u0000\u0001 not JSON'),
  nothing: (response: ServerResponse) => response.writeHead(200).end(),
  'a body without end': (response: ServerResponse) => endless(response.writeHead(200)),
} as const
export type AnswerName = keyof typeof ANSWERS

const envelope = (code: string) => JSON.stringify({ error: { code, message: 'because', request_id: 'r' } })

/** Up to 1 GB, for as long as the other side takes it. */
function endless(response: ServerResponse): void {
  const piece = Buffer.alloc(65_536, 'x')
  let left = 16_384
  const go = () => {
    while (left-- > 0) if (!response.write(piece)) return
    response.end()
  }
  response.on('drain', go)
  go()
}

/** Answers every request with one of them, and keeps when they came. */
export class FaultyBackend {
  readonly answer: AnswerName
  readonly tries: number[] = []
  readonly #server = createServer((request, response) => {
    this.tries.push(performance.now())
    response.on('error', () => undefined)
    request.resume().on('end', () => void ANSWERS[this.answer](response))
  })

  constructor(answer: AnswerName) {
    this.answer = answer
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  async tried(count: number): Promise<void> {
    while (this.tries.length < count) await new Promise((resolve) => setTimeout(resolve, 50))
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    this.#server.closeAllConnections()
    await promise
  }
}
