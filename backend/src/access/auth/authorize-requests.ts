import type { Authenticator, CredentialHeaders } from './authenticate.ts'
import { type AccessRule, authorize } from './authorize.ts'
import { isAllowedFrom } from './networks.ts'
import { type Access, type AnyPrincipal, countedAs, limitKeyOfUser } from './principal.ts'
import { type WaitingBudget, withinBudget } from '../../platform/db/index.ts'
import { ApiError, forbidden, notFound, rateLimited, unavailable } from '../../platform/errors.ts'
import {
  type App,
  isAdmittedPage,
  isDescribed,
  isOfDashboard,
  type LimitGroup,
  type LimitState,
  limitGroup,
  limitHeaders,
  limitKeyOfAddress,
  pathOf,
  type RateLimiter,
  routeOf,
  toApiError,
} from '../../platform/http/index.ts'
import { SECRET_PREFIX } from '@vedette/shared'
import type { OriginCaller, Refusal } from '../security-log/index.ts'

declare module 'fastify' {
  /** A route under /v1 that does not say who may call it stops the start-up. */
  interface FastifyContextConfig extends Partial<AccessRule> {
    /** The handler's own statement verifies the server token; the cached result suffices before that. */
    provesToken?: boolean
    /** Accepts an API key as a Bearer token too, for clients that can send no other header. */
    takesKeyAsBearer?: boolean
    /** Of an open route: the user whose limit counts the request; without one it counts by the client's address. */
    countsAs?: (request: FastifyRequest) => Promise<string | undefined>
    /** Of an open route that counts its requests by their token itself. */
    countsItself?: boolean
  }
  interface FastifyRequest {
    /** The caller as its credentials say, also where the request is refused. */
    caller: AnyPrincipal | undefined
    /** The body had not arrived when the caller was authorized. */
    awaitsBody: boolean
    /** The caller; undefined on open routes. */
    principal: AnyPrincipal | undefined
  }
}

/** One method of one path, including HEAD, with its access rule. */
export interface RouteAccess {
  method: string
  /** As registered: `/v1/servers/:id`. */
  url: string
  access: Access
  organizationFromPath: boolean
  alsoOneself: string | undefined
  withoutOrganization: boolean
}

/** What the security log learns of requests. */
export interface RequestWatch {
  /** A session or key was accepted. */
  used(caller: OriginCaller, ip: string, userAgent: string | undefined): void
  refused(refusal: Refusal): void
}

/**
 * Runs before every handler: identifies the caller, counts the request against the limit of the credential (of the address without
 * a valid one), then authorizes the caller for the route. Every response has the rate-limit headers. Adds each route to `routes`.
 */
export function authorizeRequests(
  app: App,
  authenticator: Authenticator,
  limiter: RateLimiter,
  routes: RouteAccess[],
  watch: RequestWatch,
): void {
  app.decorateRequest('principal', undefined)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('awaitsBody', false)
  noteRoutes(app, routes)
  watchRefusals(app, watch)
  // With a callback: a push with a cached token and an in-memory limit needs no promise.
  app.addHook('onRequest', (request, reply, done) => {
    // The registered URL: `/%76%31/…` and `http://host/v1/…` reach the same route and need the same checks.
    const { url, config } = routeOf(request)
    const path = url ?? pathOf(request.url)
    const group = limitGroup(request.method, path)
    const { access = 'open', provesToken = false, countsAs, countsItself = false } = config
    if (countsItself || !path.startsWith('/v1/')) {
      if (countsItself || isAdmittedPage(request, reply, path, limiter)) done()
      return
    }
    const take = (caller: AnyPrincipal | ApiError | undefined, userId?: string): void | Promise<void> => {
      const principal = caller instanceof ApiError ? undefined : caller
      const decide = (state: LimitState): void | Promise<void> => {
        reply.headers(limitHeaders(state))
        refuse(state, limiter)
        if (caller instanceof ApiError) throw caller
        if (!principal) return
        request.caller = principal
        request.awaitsBody = !provesToken && isArriving(request.raw)
        if (principal.kind === 'user' || principal.kind === 'api_key')
          watch.used(principal, request.ip, request.headers['user-agent'])
        if (principal.kind === 'user' && principal.onlyReads) refuseChange(request.method, path)
        const admitted = authorize(authenticator, principal, config as AccessRule, request.params as Record<string, string>)
        if (admitted instanceof Promise) return admitted.then((authorized) => admit(request, authorized))
        admit(request, admitted)
      }
      const ofUser = userId === undefined ? undefined : limitKeyOfUser(userId)
      const by = principal
        ? countedAs(principal, group, isOfDashboard(request.headers))
        : { group, key: ofUser ?? limitKeyOfAddress(request.ip, group) }
      const state = limiter.take(by.key, by.group)
      return state instanceof Promise ? withinBudget(state).then(decide) : decide(state)
    }
    const caller = access === 'open' ? undefined : identify(authenticator, request, config)
    const counted = countsAs
      ? countsAs(request).then((userId) => take(undefined, userId))
      : caller instanceof Promise
        ? caller.then(take)
        : take(caller)
    if (counted instanceof Promise) {
      // oxlint-disable-next-line promise/no-callback-in-promise -- the framework's hook takes either form, not both
      counted.then(() => done(), done)
      return
    }
    done()
  })
  authorizeAfterBody(app, authenticator)
  // After the validation of the body: a missing organization of the path is reported last.
  app.addHook('preHandler', (request, _reply, done) => {
    const { access = 'open' } = routeOf(request).config
    done(access === 'open' || request.principal ? undefined : notFound())
  })
}

/** A slow body arrives up to 15 s after its credentials, which may have ended meanwhile. Others have arrived with them. */
function authorizeAfterBody(app: App, authenticator: Authenticator): void {
  app.addHook('preHandler', (request, _reply, done) => {
    if (!request.awaitsBody) {
      done()
      return
    }
    const rule = routeOf(request).config as AccessRule & { takesKeyAsBearer?: boolean }
    const again = async () => {
      const principal = await authenticator.authenticate(readCredentials(request.headers, rule.takesKeyAsBearer))
      request.principal = await authorize(authenticator, principal, rule, request.params as Record<string, string>)
    }
    // oxlint-disable-next-line promise/no-callback-in-promise -- the framework's hook takes either form, not both
    again().then(() => done(), done)
  })
}

/** Of a session that a wall has kept beyond its end: it may read, and sign out. Throws forbidden. */
function refuseChange(method: string, path: string): void {
  if (method === 'GET' || method === 'HEAD' || path === '/v1/auth/logout') return
  throw forbidden('The wall has kept this session beyond its 30 days: it may only read. Sign in again to change something.')
}

/** The request has this caller from here on; what it waits for counts for the organization. */
function admit(
  request: { principal: AnyPrincipal | undefined; waiting: WaitingBudget | undefined },
  principal: AnyPrincipal | undefined,
): void {
  request.principal = principal
  if (request.waiting && principal && 'tenant' in principal && principal.tenant)
    request.waiting.organization = principal.tenant.number
}

/** Adds each route; one that does not say who may call it throws. */
function noteRoutes(app: App, routes: RouteAccess[]): void {
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    const { organizationFromPath = false, alsoOneself, withoutOrganization = false } = config ?? {}
    const addRoute = (access: Access) => {
      const rule = { access, organizationFromPath, alsoOneself, withoutOrganization }
      routes.push(...[method].flat().map((one) => ({ method: one, url, ...rule })))
    }
    if (!url.startsWith('/v1')) {
      if (isDescribed({ schema, method })) addRoute('open')
      return
    }
    const access = config?.access
    if (!access) throw new Error(`${String(method)} ${url} does not say who may call it`)
    if (url.startsWith('/v1/organizations/:id') !== organizationFromPath)
      throw new Error(`${String(method)} ${url}: organizationFromPath goes with /v1/organizations/:id`)
    if (access === 'open' && config.idempotent)
      throw new Error(`${String(method)} ${url} is open: idempotency needs the credential of the caller`)
    addRoute(access)
  })
}

function watchRefusals(app: App, watch: RequestWatch): void {
  app.addHook('onError', (request, _reply, error, done) => {
    const { status } = toApiError(error)
    const { url, config } = routeOf(request)
    const { caller: principal } = request
    // What open routes refuse is a failed sign-in; a 401 of a known caller is a wrong password or code. Both have their own events.
    const isCounted = status === 403 || (status === 401 && !principal)
    if (isCounted && (status === 401 || status === 403) && (config.access ?? 'open') !== 'open')
      watch.refused({ status, principal: actorOf(principal), ip: request.ip, operation: `${request.method} ${url ?? ''}` })
    done()
  })
}

/** Whether some of the body is still to come; a request that is injected has no such field. */
const isArriving = ({ complete }: { complete?: boolean }): boolean => complete === false

/** Probes belong to no organization and are in no log as actors: only their address is known. */
const actorOf = (principal: AnyPrincipal | undefined) => (principal?.kind === 'probe' ? undefined : principal)

/** The credentials in the headers. */
function readCredentials(headers: Record<string, string | string[] | undefined>, takesKeyAsBearer = false): CredentialHeaders {
  const one = (name: string) => headers[name] as string | undefined
  const credentials = {
    authorization: one('authorization'),
    apiKey: one('x-api-key'),
    organizationId: one('x-organization-id'),
  }
  const key = takesKeyAsBearer ? KEY_AS_BEARER.exec(credentials.authorization ?? '')?.[1] : undefined
  if (key === undefined || credentials.apiKey !== undefined) return credentials
  return { ...credentials, authorization: undefined, apiKey: key }
}

const KEY_AS_BEARER = new RegExp(`^Bearer (${SECRET_PREFIX.apiKey}\\S+)$`, 'i')

/** The caller, or the error of the authentication: the limit of the address is counted before that error is thrown. */
function identify(
  authenticator: Authenticator,
  request: { headers: Record<string, string | string[] | undefined>; ip: string; caller: AnyPrincipal | undefined },
  { provesToken = false, takesKeyAsBearer = false }: { provesToken?: boolean; takesKeyAsBearer?: boolean },
): AnyPrincipal | Promise<AnyPrincipal | ApiError> {
  const credentials = readCredentials(request.headers, takesKeyAsBearer)
  const principal = provesToken ? authenticator.authenticateCached(credentials) : authenticator.authenticate(credentials)
  if (!(principal instanceof Promise)) return principal
  return principal.then(
    (caller) => {
      if (caller.kind !== 'api_key' || isAllowedFrom(caller.allowedCidrs, request.ip)) return caller
      // For the security log. Counted against the address: others must not use up the limit of the key.
      request.caller = caller
      return forbidden(`This API key cannot be used from ${request.ip}.`)
    },
    (error: unknown) => {
      if (error instanceof ApiError && error.status < 500) return error
      throw error
    },
  )
}

/** Counts one request of `key`; throws rate_limited beyond the limit. */
export async function enforceLimit(limiter: RateLimiter, key: string, group: LimitGroup): Promise<void> {
  const state = limiter.take(key, group)
  refuse(state instanceof Promise ? await withinBudget(state) : state, limiter)
}

/** Throws rate_limited, or unavailable where the limit cannot be read. */
function refuse({ outcome, limit, resetAtSeconds }: LimitState, { now }: { now(): number }): void {
  if (outcome === 'admitted') return
  if (outcome === 'unknown') throw unavailable()
  throw rateLimited('Too many requests.', { max: limit, nowMs: now(), untilMs: resetAtSeconds * 1000 })
}
