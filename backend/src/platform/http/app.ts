import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { ApiError } from '../errors.ts'

/** The app that features add their routes to: schemas of TypeBox give the types of requests and answers. */
export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Bytes to which a gzip body may inflate; without it gzip is refused. */
    inflatedLimit?: number
    /** The handler checks the body itself, text included: a hot path. */
    checksOwnBody?: boolean
    /** Its statements are many, and may take longer together than those of other requests: see `MANY_STEPS`. */
    hasManySteps?: true
    /** Errors in the form of another protocol; without it in the envelope. */
    errorAnswer?: (error: ApiError, request: FastifyRequest) => { status: number; body: unknown }
    /**
     * Its answers have sentences of the server, which are in the language of the reader. What people write and edit is not translated.
     * `itself`: the handler does it, and says so in `Content-Language`.
     */
    speaks?: boolean | 'itself'
  }
}
