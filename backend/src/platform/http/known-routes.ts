import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `routeOf`. */
    route: FastifyRequest['routeOptions'] | undefined
  }
}

/** What the route of a request says of itself. The framework puts that together anew each time that it is asked. */
export const routeOf = (request: FastifyRequest): FastifyRequest['routeOptions'] => (request.route ??= request.routeOptions)

export interface KnownRoute {
  methods: string[]
  /** As registered: `/v1/servers/:id`. */
  url: string
}

/** Methods that a path takes, sorted; empty where nothing is registered under it. Wildcards (files) do not count. */
export function allowedMethods(routes: readonly KnownRoute[], path: string): string[] {
  const segments = path.split('/')
  const matching = routes.filter((route) => !route.url.includes('*') && matches(route.url.split('/'), segments))
  return [...new Set(matching.flatMap((route) => route.methods))].sort()
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false
  return pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
}
