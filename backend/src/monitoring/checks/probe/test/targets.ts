import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { CheckResult, DefinitionOf } from '@vedette/shared'

/** A real server with scripted connections, which it counts. */
export interface Target {
  port: number
  url: string
  /** Connections that it has seen. */
  connections: number
  close(): Promise<void>
}

/** `host` as `listen` takes it. Whatever a connection throws is the test's own plan. */
export async function startTarget(onConnection: (socket: Socket) => void, host = '127.0.0.1', port = 0): Promise<Target> {
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    target.connections++
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    onConnection(socket)
  })
  await listen(server, host, port)
  const { port: bound } = server.address() as AddressInfo
  const target: Target = {
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    connections: 0,
    async close() {
      for (const socket of open) socket.destroy()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
  return target
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host)
  await once(server, 'listening')
}

/** A server that answers each connection with these bytes once a request has come, and closes. */
export function startAnswering(answer: string | Buffer | ((request: string) => string | Buffer), host?: string): Promise<Target> {
  return startTarget((socket) => {
    readRequest(socket, (request) => socket.end(typeof answer === 'function' ? answer(request) : answer))
  }, host)
}

/** Hands on the head of a request, and what came with it. */
export function readRequest(socket: Socket, then: (request: string) => void): void {
  let text = ''
  const collect = (bytes: Buffer) => {
    text += bytes.toString('latin1')
    if (!text.includes('\r\n\r\n')) return
    socket.off('data', collect)
    socket.resume()
    then(text)
  }
  socket.on('data', collect)
}

export const answerOf = (body: string, head = ''): string =>
  `HTTP/1.1 200 OK\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** A definition with defaults for all that a test does not speak of. */
export function define(url: string, change: Partial<DefinitionOf<'http'>> = {}): DefinitionOf<'http'> {
  const plain = { type: 'http', method: 'GET', headers: {}, body: null, timeout: 5, assertions: [] } as const
  return { ...plain, assertions: [], follow_redirects: true, verify_tls: true, options: {}, credentials: {}, url, ...change }
}

/**
 * The first of these checks that we did not hold up ourselves. On a machine that stands still for a moment a time limit says nothing
 * of a target, and the check says that; here it is the target that matters.
 */
export async function unhindered(check: () => Promise<CheckResult>): Promise<CheckResult> {
  for (let tries = 1; ; tries += 1) {
    const result = await check()
    const isHeldUp = result.error?.code === 'internal' && /itself was delayed/.test(result.error.message)
    if (!isHeldUp || tries >= 10) return result
  }
}
