import type { FastifyReply, FastifyRequest } from 'fastify'
import { decodeText } from './json-body.ts'
import { routeOf } from './route-methods.ts'

export interface PlainJsonRoute {
  limitBytes: number
  /** Of the answer. */
  status: number
  /** Throws SyntaxError. */
  parse(text: string): unknown
  /** Returns the answer as JSON text. `takeBody` releases the body to the caller, so that nothing else references it. */
  answer(request: FastifyRequest, takeBody: () => unknown): Promise<string>
}

/**
 * The last `onRequest` of a hot route: handles uncompressed JSON with a Content-Length, which nearly all requests are, and leaves all
 * others to the framework. This saves the framework's asynchronous scope, its copy of the body, and its schemas and hooks, none of
 * which apply to such a request.
 *
 * Errors of the handler get the same response as through the framework.
 */
export function createPlainJsonHook({ limitBytes, status, parse, answer }: PlainJsonRoute) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const length = plainLength(request)
    if (length === 0 || length > limitBytes) {
      done()
      return
    }
    readExactly(request, length, (error, bytes) => {
      try {
        if (error) throw error
        let body = parse(decodeText(bytes))
        const takeBody = () => {
          const taken = body
          body = undefined
          return taken
        }
        // oxlint-disable-next-line promise/no-promise-in-callback -- the framework's hooks and Node's streams call back
        answer(request, takeBody).then(
          (text) => reply.code(status).type('application/json; charset=utf-8').send(text),
          (refused: unknown) => reply.send(refused),
        )
      } catch (fault) {
        // As the framework does where it cannot read a body: more of it may be on its way.
        reply.header('connection', 'close').send(fault)
      }
    })
  }
}

/** Bytes of a body that needs no looking into; 0 where the framework has to see the request. */
function plainLength(request: FastifyRequest): number {
  const { url, headers } = request.raw
  if (headers['content-type'] !== 'application/json' || headers['content-encoding'] !== undefined) return 0
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
