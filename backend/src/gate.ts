import {
  type Access,
  type AccessRule,
  admit,
  type Asker,
  type Authenticator,
  type CredentialHeaders,
  limitKeyOf,
} from './auth/index.ts'
import { ApiError, notFound, unavailable } from './platform/errors.ts'
import {
  type App,
  isDescribed,
  type LimitGroup,
  type LimitState,
  limitGroup,
  limitHeaders,
  limitKeyOfAddress,
  pathOf,
  type RateLimiter,
  routeOf,
} from './platform/http/index.ts'

declare module 'fastify' {
  /** A route under /v1 that does not say who may call it stops the start-up. */
  interface FastifyContextConfig extends Partial<AccessRule> {
    /** The handler's own statement proves the server token; a token seen a moment ago is presumed until then. */
    provesToken?: boolean
  }
  interface FastifyRequest {
    /** Who asks; undefined on routes that are open. */
    principal: Asker | undefined
  }
}

/** One method of one path, HEAD included, and all that the gate knows of it. */
export interface RouteAccess {
  method: string
  /** As registered: `/v1/servers/:id`. */
  url: string
  access: Access
  organizationFromPath: boolean
  alsoOneself: string | undefined
  withoutOrganization: boolean
}

/**
 * The gate before every handler: who asks, then the limit of that credential (of the address where there is none that is
 * valid), then whether the route lets them. Its headers are on every response, whatever becomes of the request. Notes each
 * route that it guards.
 */
export function guard(app: App, authenticator: Authenticator, limiter: RateLimiter, routes: RouteAccess[]): void {
  app.decorateRequest('principal', undefined)
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    const { organizationFromPath = false, alsoOneself, withoutOrganization = false } = config ?? {}
    const note = (access: Access) => {
      const rule = { access, organizationFromPath, alsoOneself, withoutOrganization }
      routes.push(...[method].flat().map((one) => ({ method: one, url, ...rule })))
    }
    if (!url.startsWith('/v1')) {
      if (isDescribed({ schema, method })) note('open')
      return
    }
    const access = config?.access
    if (!access) throw new Error(`${String(method)} ${url} does not say who may call it`)
    if (url.startsWith('/v1/organizations/:id') !== organizationFromPath)
      throw new Error(`${String(method)} ${url}: organizationFromPath goes with /v1/organizations/:id`)
    if (access === 'open' && config.idempotent)
      throw new Error(`${String(method)} ${url} is open: a repeat is known by the credential that sends it`)
    note(access)
  })
  // With a callback: a push, whose token is presumed and whose limit is counted in memory, passes without a promise.
  app.addHook('onRequest', (request, reply, done) => {
    // As registered: the router also knows a route by `/%76%31/…` and `http://host/v1/…`, which must meet the same gate.
    const { url, config } = routeOf(request)
    const path = url ?? pathOf(request.url)
    const group = limitGroup(request.method, path)
    if (!path.startsWith('/v1/')) {
      reply.headers(limitHeaders(limiter.peek(limitKeyOfAddress(request.ip), group)))
      done()
      return
    }
    const { access = 'open', provesToken = false } = config
    const take = (asked: Asker | ApiError | undefined): void | Promise<void> => {
      const principal = asked instanceof ApiError ? undefined : asked
      const decide = (state: LimitState): void | Promise<void> => {
        reply.headers(limitHeaders(state))
        refuse(state, limiter)
        if (asked instanceof ApiError) throw asked
        if (!principal) return
        const admitted = admit(authenticator, principal, config as AccessRule, request.params as Record<string, string>)
        if (admitted instanceof Promise) return admitted.then((placed) => void (request.principal = placed))
        request.principal = admitted
      }
      const state = limiter.take(principal ? limitKeyOf(principal) : limitKeyOfAddress(request.ip), group)
      return state instanceof Promise ? state.then(decide) : decide(state)
    }
    const asked = access === 'open' ? undefined : identify(authenticator, request.headers, provesToken)
    const taken = asked instanceof Promise ? asked.then(take) : take(asked)
    if (taken instanceof Promise) {
      // oxlint-disable-next-line promise/no-callback-in-promise -- the framework's hook takes either form, not both
      taken.then(() => done(), done)
      return
    }
    done()
  })
  // After the body was judged: whether the organization of the path is there is the last question.
  app.addHook('preHandler', (request, _reply, done) => {
    const { access = 'open' } = routeOf(request).config
    done(access === 'open' || request.principal ? undefined : notFound())
  })
}

/** What of the headers says who asks. */
export function credentialsIn(headers: Record<string, string | string[] | undefined>): CredentialHeaders {
  const one = (name: string) => headers[name] as string | undefined
  return { authorization: one('authorization'), apiKey: one('x-api-key'), organizationId: one('x-organization-id') }
}

/** Who asks, or why that is not known: the limit of the address is counted before the refusal. */
function identify(
  authenticator: Authenticator,
  headers: Record<string, string | string[] | undefined>,
  provesToken: boolean,
): Asker | Promise<Asker | ApiError> {
  const given = credentialsIn(headers)
  const found = provesToken ? authenticator.presume(given) : authenticator.authenticate(given)
  if (!(found instanceof Promise)) return found
  return found.catch((error: unknown) => {
    if (error instanceof ApiError && error.status < 500) return error
    throw error
  })
}

/** Counts one request of `key`; throws as the gate does where it is over. */
export async function refuseOver(limiter: RateLimiter, key: string, group: LimitGroup): Promise<void> {
  refuse(await limiter.take(key, group), limiter)
}

/** Throws rate_limited, or unavailable where nobody can say whether the limit is reached. */
function refuse({ verdict, resetAtSeconds }: LimitState, { now }: { now(): number }): void {
  if (verdict === 'admitted') return
  if (verdict === 'unknown') throw unavailable()
  const retryAfterSeconds = Math.max(1, Math.ceil(resetAtSeconds - now() / 1000))
  throw new ApiError('rate_limited', `Too many requests. Try again in ${retryAfterSeconds} s.`, { retryAfterSeconds })
}
