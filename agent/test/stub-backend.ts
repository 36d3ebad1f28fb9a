import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BatchBody } from '@vedette/shared'

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  text: string
  atMs: number
}

export interface StubAnswer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** A backend of a few lines: answers what the test says and keeps what it got. */
export class StubBackend {
  readonly requests: ReceivedRequest[] = []
  /** Answers each request; the default accepts everything. */
  answer: (request: ReceivedRequest) => StubAnswer | 'hang' = () => accepted()
  #waiting: (() => void)[] = []
  readonly #server = createServer((incoming, outgoing) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming
      this.#take({ method, path: url, headers, text: Buffer.concat(pieces).toString(), atMs: Date.now() }, outgoing)
    })
  })

  async listen(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.listen(0, '127.0.0.1', resolve)
    await promise
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    this.#server.closeAllConnections()
    await promise
  }

  /** Waits until `count` requests have come that `match`. */
  async received(count: number, match: (request: ReceivedRequest) => boolean = () => true): Promise<ReceivedRequest[]> {
    for (;;) {
      const found = this.requests.filter(match)
      if (found.length >= count) return found
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push(resolve)
      await promise
    }
  }

  #take(request: ReceivedRequest, outgoing: ServerResponse): void {
    this.requests.push(request)
    const answer = this.answer(request)
    if (answer !== 'hang') {
      outgoing.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
      outgoing.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}))
    }
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

export function accepted(changes: object = {}): StubAnswer {
  const body = {
    accepted: 1,
    duplicates: 0,
    rejected: [],
    server_time: new Date().toISOString(),
    sample_interval_seconds: 10,
    push_interval_seconds: 60,
    ...changes,
  }
  return { status: 202, body }
}

export function refusal(status: number, code: string, headers: Record<string, string> = {}): StubAnswer {
  return { status, headers, body: { error: { code, message: `because ${code}`, request_id: 'r1' } } }
}

/** The batches of a push. */
export function batchesOf(request: Pick<ReceivedRequest, 'text'>): BatchBody[] {
  return (JSON.parse(request.text) as { batches: BatchBody[] }).batches
}
