import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from './compression.ts'

/** Response headers that a page of another origin may read. */
const EXPOSED_HEADERS =
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, Retry-After, Location, ETag, Idempotent-Replayed, WWW-Authenticate'
const ALLOWED_HEADERS =
  'Authorization, X-API-Key, X-Organization-Id, Idempotency-Key, If-Match, If-None-Match, Content-Type, Last-Event-ID'
/** Two hours, the maximum of Chromium. Each preflight counts as a read of the client's address. */
const MAX_AGE_SECONDS = '7200'

/** Which pages of other origins may call the API. Credentials are never allowed: the only cookie is for our own page. */
export interface Cors {
  /** Adds the headers to the response for an allowed origin. */
  allow(request: FastifyRequest, reply: FastifyReply): void
  /** The headers of the answer to a preflight request; undefined for other requests and other origins. */
  preflight(request: FastifyRequest, methods: readonly string[]): Record<string, string> | undefined
}

/** `origins` as browsers send them (`https://app.example.com`); an empty list turns CORS off. */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins)
  const isAllowed = ({ headers }: FastifyRequest): boolean => headers.origin !== undefined && allowed.has(headers.origin)
  return {
    allow: (request, reply) => {
      if (allowed.size === 0) return
      // Also for other origins or none: caches must not serve that response to the page.
      addVary(reply, 'Origin')
      if (!isAllowed(request)) return
      reply.header('Access-Control-Allow-Origin', request.headers.origin)
      reply.header('Access-Control-Expose-Headers', EXPOSED_HEADERS)
    },
    preflight: (request, methods) => {
      const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
      if (!isPreflight || !isAllowed(request)) return undefined
      return {
        'Access-Control-Allow-Methods': methods.join(', '),
        'Access-Control-Allow-Headers': ALLOWED_HEADERS,
        'Access-Control-Max-Age': MAX_AGE_SECONDS,
      }
    },
  }
}
