import type { FastifyReply, FastifyRequest } from 'fastify'
import { routeOf } from './route-methods.ts'

export interface PlainBodyRoute {
  limitBytes: number
  /** Of the answer. */
  status: number
  /** By media type; throws SyntaxError. */
  parsers: Readonly<Record<string, (bytes: Buffer) => unknown>>
  /** Returns the answer as JSON text. `takeBody` releases the body to the caller, so that nothing else references it. */
  answer(request: FastifyRequest, reply: FastifyReply, takeBody: () => unknown): Promise<string>
}

/**
 * The last `onRequest` of a hot route: handles an uncompressed body of one of these types with a Content-Length, which nearly all requests are, and leaves all
 * others to the framework. This saves the framework's asynchronous scope, its copy of the body, and its schemas and hooks, none of
 * which apply to such a request.
 *
 * Errors of the handler get the same response as through the framework.
 */
export function createPlainBodyHook({ limitBytes, status, parsers, answer }: PlainBodyRoute) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const parse = parsers[request.raw.headers['content-type'] ?? '']
    const length = plainLength(request)
    if (parse === undefined || length === 0 || length > limitBytes) {
      done()
      return
    }
    readExactly(request, length, (error, bytes) => {
      try {
        if (error) throw error
        let body = parse(bytes)
        const takeBody = () => {
          const taken = body
          body = undefined
          return taken
        }
        // oxlint-disable-next-line promise/no-promise-in-callback -- the framework's hooks and Node's streams call back
        answer(request, reply, takeBody).then(
          (text) => reply.code(status).type('application/json; charset=utf-8').send(text),
          (refused: unknown) => reply.send(refused),
        )
      } catch (fault) {
        reply.send(fault)
      }
    })
  }
}

/** Bytes of a body that needs no looking into; 0 where the framework has to see the request. */
function plainLength(request: FastifyRequest): number {
  const { url, headers } = request.raw
  if (headers['content-encoding'] !== undefined) return 0
  // Also a query is for the framework, and another spelling of the path.
  return url === routeOf(request).url ? Number(headers['content-length'] ?? 0) : 0
}

/** Calls back once: with all of the body, or when the connection broke before. Node's parser sees to the length. */
function readExactly({ raw }: FastifyRequest, length: number, take: (error: Error | undefined, bytes: Buffer) => void): void {
  let received = 0
  const chunks: Buffer[] = []
  raw.on('data', (chunk: Buffer) => {
    received += chunk.length
    chunks.push(chunk)
    if (received < length) return
    const [only] = chunks
    take(undefined, chunks.length === 1 && only ? only : Buffer.concat(chunks))
    chunks.length = 0
  })
  raw.on('error', (error) => {
    if (received < length) take(Object.assign(error, { statusCode: 400 }), NOTHING)
  })
}

const NOTHING = Buffer.alloc(0)
