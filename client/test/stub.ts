import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The response to a request: this one, none, half of one, or a closed connection. */
export type Planned =
  | { status?: number; headers?: Record<string, string>; json?: unknown; text?: string }
  | 'silence'
  | 'half'
  | 'hang up'

export interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingHttpHeaders
  /** Parsed; undefined for none. */
  body: unknown
}

/** A server with planned responses that records its requests. */
export interface Stub {
  url: string
  requests: ReceivedRequest[]
  /** Plans the responses to the next requests; later requests get 204. */
  plan(...answers: Planned[]): void
  close(): Promise<void>
}

export async function startStub(): Promise<Stub> {
  const requests: ReceivedRequest[] = []
  const planned: Planned[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
    request.on('end', () => {
      requests.push({ method, url, headers, body: text === '' ? undefined : JSON.parse(text) })
      answer(response, planned.shift() ?? { status: 204 })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    plan: (...answers) => void planned.push(...answers),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answer(response: ServerResponse, planned: Planned): void {
  if (planned === 'silence') return
  if (planned === 'hang up') return void response.destroy()
  if (planned === 'half') {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' }).write('{"servers":')
    return void setImmediate(() => response.destroy())
  }
  const { status = 200, headers = {}, json, text } = planned
  const type = json === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8' }
  response.writeHead(status, { ...type, ...headers }).end(json === undefined ? text : JSON.stringify(json))
}

/** An error response of Vedette. */
export function refusal(status: number, code: string, headers: Record<string, string> = {}, details?: unknown): Planned {
  return { status, headers, json: { error: { code, message: `That is ${code}.`, details, request_id: 'a-request' } } }
}
