import { FindIdentityProvidersBody, IdentityProviderChoices, ProviderParams, Ref, StartSignInQuery } from '@vedette/shared'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { readCookie, sendSession } from '../auth/index.ts'
import {
  type App,
  originOf,
  PLAIN_PAGE_HEADERS,
  plainPage,
  readerLanguage,
  takeForms,
  toApiError,
} from '../../platform/http/index.ts'
import { forbidden } from '../../platform/errors.ts'
import { decodeId } from '../../platform/ids.ts'
import { logOutByToken } from './back-channel-logout.ts'
import {
  findChoices,
  finishSignIn,
  REQUEST_SECONDS,
  type SignInDeps,
  findSignOut,
  startSignIn,
  type Destination,
} from './sign-in.ts'

const Redirect = Type.Null()
const Page = Type.String()
/** What the provider sends back: the library reads it, here it is bounded. Providers add fields of their own. */
const SignInCallbackQuery = Type.Object({
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
  state: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  iss: Type.Optional(Type.String({ maxLength: 500 })),
  error: Type.Optional(Type.String({ maxLength: 200 })),
})
/** OpenID Connect Back-Channel Logout 1.0; unknown fields are left unread. */
const BackChannelLogoutBody = Type.Object({ logout_token: Type.String({ minLength: 1, maxLength: 16_384 }) })
const tags = ['auth']
const COOKIE = 'vedette_oidc'
/** The dashboard reads it, and fetches the session by the cookie. */
const SIGNED_IN = '#signed-in'
const MAX_FORM_BYTES = 65_536

const providerId = (request: { params: { provider: string } }): string => decodeId('identityProvider', request.params.provider)

/** Scripts cannot read it; it comes back with the navigation from the provider, not with requests that other sites cause. */
function cookieOf(value: string, maxAgeSeconds: number, publicUrl: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${COOKIE}=${value}; Max-Age=${maxAgeSeconds}; Path=/v1/auth/oidc; HttpOnly; SameSite=Lax${secure}`
}

/** What stops the navigation of a browser, as a page for people; others get the envelope. */
function asPage(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.accept?.includes('text/html') !== true) throw error
  const { status, message } = toApiError(error)
  const text = status === 400 ? 'The address of this page is not complete.' : message
  const page = plainPage(readerLanguage(request), 'You are not signed in', text, { link: '/', text: 'Back to the sign-in' })
  reply.code(status).headers(PLAIN_PAGE_HEADERS).send(page)
}

/**
 * Refuses a navigation that another site caused: it would sign a person in as somebody else, or lead from our address to one that an
 * organization chose. Older browsers do not say where it began. Throws forbidden.
 */
function requireOwnNavigation({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  throw forbidden('Another site led here. Please begin at the sign-in page of Vedette.')
}

/**
 * Leads a browser to a provider: at once to the host of its issuer, for which an e-mail domain is proved, and by a page that says so to
 * whatever other host the discovery document names.
 */
function lead(request: FastifyRequest, reply: FastifyReply, { url, otherHost }: Destination): FastifyReply {
  if (otherHost === undefined) return reply.code(302).headers({ location: url, 'cache-control': 'no-store' }).send(null)
  const links = [
    { link: url, text: `Go to ${otherHost}` },
    { link: '/', text: 'Back to Vedette' },
  ]
  const page = plainPage(readerLanguage(request), `Go to ${otherHost}?`, `You leave Vedette for ${otherHost}.`, ...links)
  return reply.code(200).headers(PLAIN_PAGE_HEADERS).send(page)
}

/** The navigations of browsers, and the logout that providers send, are described in docs/sign-in.md: they are no calls of clients. */
export async function signInRoutes(app: App, deps: SignInDeps): Promise<void> {
  app.post(
    '/v1/auth/oidc/providers',
    {
      schema: {
        operationId: 'findIdentityProviders',
        summary: 'Find the identity providers of an e-mail',
        description: 'By its domain alone: the response is the same whether or not the e-mail has an account.',
        tags,
        body: Ref(FindIdentityProvidersBody),
        response: { 200: Ref(IdentityProviderChoices) },
      },
      config: { access: 'open', idempotent: false },
    },
    async (request) => findChoices(deps, request.body.email),
  )
  navigationRoutes(app, deps)
  await app.register(async (forms) => {
    takeForms(forms, MAX_FORM_BYTES)
    backChannelRoute(forms, deps)
  })
}

function navigationRoutes(app: App, deps: SignInDeps): void {
  app.get(
    '/v1/auth/oidc/:provider/start',
    {
      schema: {
        hide: true,
        params: ProviderParams,
        querystring: StartSignInQuery,
        response: { 200: Page, 302: Redirect },
      },
      config: { access: 'open' },
      errorHandler: asPage,
    },
    async (request, reply) => {
      requireOwnNavigation(request)
      const { destination, browser } = await startSignIn(deps, providerId(request), request.query.return_to ?? '/')
      return lead(request, reply.header('set-cookie', cookieOf(browser, REQUEST_SECONDS, deps.publicUrl())), destination)
    },
  )

  app.get(
    '/v1/auth/oidc/:provider/callback',
    {
      schema: {
        hide: true,
        params: ProviderParams,
        querystring: SignInCallbackQuery,
        response: { 302: Redirect },
      },
      config: { access: 'open' },
      errorHandler: asPage,
    },
    async (request, reply) => {
      const callback = {
        search: request.url.slice(request.url.indexOf('?') + 1),
        state: request.query.state,
        browser: readCookie(request, COOKIE),
      }
      const { opened, returnPath } = await finishSignIn(deps, providerId(request), callback, originOf(request, reply))
      // A navigation has no Origin header: the browser came to the public URL.
      const headers = { ...request.headers, origin: deps.publicUrl() }
      sendSession({ headers, protocol: request.protocol, host: request.host }, reply, opened)
      return reply
        .code(302)
        .headers({ location: `${returnPath}${SIGNED_IN}`, 'cache-control': 'no-store' })
        .header('set-cookie', cookieOf('', 0, deps.publicUrl()))
        .send(null)
    },
  )

  app.get(
    '/v1/auth/oidc/:provider/logout',
    {
      schema: {
        hide: true,
        params: ProviderParams,
        response: { 200: Page, 302: Redirect },
      },
      config: { access: 'open' },
      errorHandler: asPage,
    },
    async (request, reply) => {
      requireOwnNavigation(request)
      return lead(request, reply, (await findSignOut(deps, providerId(request))) ?? { url: '/', otherHost: undefined })
    },
  )
}

function backChannelRoute(app: App, deps: SignInDeps): void {
  app.post(
    '/v1/auth/oidc/:provider/back-channel-logout',
    {
      schema: {
        hide: true,
        params: ProviderParams,
        body: BackChannelLogoutBody,
        response: { 204: Type.Null() },
      },
      config: { access: 'open', idempotent: false },
    },
    async (request, reply) => {
      await logOutByToken(deps, providerId(request), request.body.logout_token, request.ip)
      return reply.code(204).header('cache-control', 'no-store').send(null)
    },
  )
}
