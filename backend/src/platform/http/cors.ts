import type { FastifyReply, FastifyRequest } from 'fastify'

/** What a page of another origin may read of an answer beside its body. */
const EXPOSED = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, Retry-After, Location'
const TAKEN = 'Authorization, X-API-Key, X-Organization-Id, Idempotency-Key, Content-Type, Last-Event-ID'
/** Two hours: Chromium keeps a permission no longer. Each preflight counts as a read of the client's address. */
const MAX_AGE_SECONDS = '7200'

/** Which pages of other origins may call the API. Nothing is ever sent that lets a browser add cookies: there are none. */
export interface Cors {
  /** Says so in the answer to a request of such an origin; nothing about any other. */
  allow(request: FastifyRequest, reply: FastifyReply): void
  /** The answer to a browser that asks before it calls; undefined where the request is no such question, or of another origin. */
  preflight(request: FastifyRequest, methods: readonly string[]): Record<string, string> | undefined
}

/** `origins` as browsers send them (`https://app.example.com`); none: off, and no answer has a header of it. */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins)
  const isAllowed = ({ headers }: FastifyRequest): boolean => headers.origin !== undefined && allowed.has(headers.origin)
  return {
    allow: (request, reply) => {
      if (allowed.size === 0) return
      // Also where the origin is another or none: what a cache keeps of that answer is not for the page.
      reply.header('Vary', 'Origin')
      if (!isAllowed(request)) return
      reply.header('Access-Control-Allow-Origin', request.headers.origin)
      reply.header('Access-Control-Expose-Headers', EXPOSED)
    },
    preflight: (request, methods) => {
      const isAsked = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
      if (!isAsked || !isAllowed(request)) return undefined
      return {
        'Access-Control-Allow-Methods': methods.join(', '),
        'Access-Control-Allow-Headers': TAKEN,
        'Access-Control-Max-Age': MAX_AGE_SECONDS,
      }
    },
  }
}
