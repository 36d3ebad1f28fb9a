import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `routeOf`. */
    route: FastifyRequest['routeOptions'] | undefined
  }
}

/** The options of the route of a request, cached: the framework builds them again on each access. */
export const routeOf = (request: FastifyRequest): FastifyRequest['routeOptions'] => (request.route ??= request.routeOptions)

export interface KnownRoute {
  methods: string[]
  /** As registered: `/v1/servers/:id`. */
  url: string
}

/** Methods that a path accepts, sorted; empty for unknown paths. */
export function allowedMethods(routes: readonly KnownRoute[], path: string): string[] {
  const segments = path.split('/')
  const matching = routes.filter(({ url }) => matches(url.split('/'), segments))
  return [...new Set(matching.flatMap((route) => route.methods))].sort()
}

/** A wildcard stands at the end, for one or more segments. */
function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.at(-1) === '*' ? segments.length < pattern.length : segments.length !== pattern.length) return false
  return pattern.every(
    (part, index) => part === '*' || (part.startsWith(':') ? segments[index] !== '' : part === segments[index]),
  )
}
