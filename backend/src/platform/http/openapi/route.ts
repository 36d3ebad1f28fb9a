import type { FastifyContextConfig, FastifySchema } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Refusals of this very route, by status: those that follow from nothing else that the route says, and when they come, if that
     * is not what they mean everywhere. What every route may answer, and what follows from access, path, method and
     * `idempotent`, is not repeated here; `false` leaves it out.
     */
    refuses?: Readonly<Partial<Record<number, string | boolean>>>
    /** A 201 names the place of what was made in `Location`. */
    locates?: boolean
  }
}

/** What a description says of a route follows from these. */
export interface DescribedRoute {
  method: string
  /** As registered: `/v1/servers/:id`. */
  url: string
  config: FastifyContextConfig
}

/** Whether the route is in the description: all of them but those that hide, as pages and their files do. */
export function isDescribed({ schema, method }: { schema?: FastifySchema | undefined; method: string | string[] }): boolean {
  return schema !== undefined && schema.hide !== true && method !== 'HEAD'
}
