import type { FastifyReply, FastifyRequest } from 'fastify'
import { PAGE_PASSWORD_LENGTH } from '@vedette/shared'
import { type Static, Type } from 'typebox'
import { verifyPassword } from '../../../access/auth/index.ts'
import {
  answerInFirstHook,
  type App,
  chooseEncoding,
  limitKeyOfAddress,
  pathOf,
  type RateLimiter,
  takeForms,
} from '../../../platform/http/index.ts'
import type { KeptPage, VisitedCopies } from '../copies/kept-page.ts'
import type { PageModel } from '../reading/model.ts'
import type { View } from '../copies/views.ts'
import { addressOf } from '../pages/address.ts'
import type { PageKeys } from '../pages/keys.ts'
import { type HtmlContext, policyOf, renderLocked } from '../render/html.ts'
import { isKnownTag, NOINDEX, NOT_FOUND, PUBLIC_CACHE } from './answers.ts'
import { badgeRoutes } from './badge-routes.ts'
import { domainCheckRoute } from './domain-check.ts'
import { hostOf } from './own-domain.ts'
import { subscribeRoutes, type SubscribeRouteDeps } from './subscribe-routes.ts'
import { findView } from './views.ts'
import { admit, VISITOR_COOKIE } from './visitor.ts'

export interface PublicPageDeps {
  copies: VisitedCopies
  keys: PageKeys
  /** The base URL of links. */
  publicUrl(): string
  /** For what visitors send: passwords and subscriptions. Without it they only read. */
  forms?: SubscribeRouteDeps
}

const PAGES = '/status/'
const MAX_FORM_BYTES = 16_384
/** An SVG that is opened at its own address is a document: it runs and loads nothing. */
const IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
/** These are compressed already. */
const PACKED = /^image\/(?:png|jpeg|webp|gif)$/
const VISITOR_SECONDS = 30 * 86_400

/**
 * The pages that visitors see, from copies in memory. They answer in the first hook of the route: none of what the API does for its
 * requests applies.
 */
export async function publicPageRoutes(app: App, deps: PublicPageDeps): Promise<void> {
  const { copies, keys } = deps
  /** The page, or undefined after its absence or the question for its password was answered. */
  async function admitted(request: FastifyRequest, reply: FastifyReply) {
    const { slug, query } = split(request.url)
    const page = await copies.find(slug)
    const admission = page && admit(keys, page, query.get('key'), request.headers.cookie)
    if (!page || admission === 'nothing') {
      sendNotFound(reply)
      return undefined
    }
    const context = contextOf(deps, request, page, query)
    if (admission !== 'locked') return { page, context }
    sendLocked(reply, page, context, undefined)
    return undefined
  }

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const visited = await admitted(request, reply)
    if (!visited) return
    const { page, context } = visited
    const { model } = page.copy
    const { path } = split(request.url)
    const found = findView(model, path)
    if (!found) return sendNotFound(reply)
    const view = page.view(`${context.base} ${path}`, () => found(model, context))
    reply.headers(headersOf(page, view, path === '/embed'))
    sendView(request, reply, view)
  }

  for (const url of [`${PAGES}:slug`, `${PAGES}:slug/*`]) answerInFirstHook(app, { method: ['GET', 'HEAD'], url }, show)
  badgeRoutes(app, deps)
  domainCheckRoute(app, copies)
  const { forms: formDeps } = deps
  if (!formDeps) return
  await app.register(async (forms) => {
    takeForms(forms, MAX_FORM_BYTES)
    // One click to unsubscribe may come in this form; its content is fixed.
    forms.addContentTypeParser(
      'multipart/form-data',
      { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
      (_request: unknown, _body: string, done: (error: null, fields: object) => void) => done(null, {}),
    )
    subscribeRoutes(forms, { admitted, refuse: sendNotFound, baseOf: (...of) => baseOf(copies, ...of) }, formDeps)
    const schema = { hide: true, body: UnlockForm }
    forms.post(`${PAGES}:slug/unlock`, { schema, handler: (request, reply) => unlock(deps, request, reply, formDeps.limiter) })
  })
}

/** Where links of a page lead: on its own domain to the root. */
const baseOf = (copies: VisitedCopies, request: FastifyRequest, { slug }: PageModel): string =>
  copies.slugOf(hostOf(request.raw)) === slug ? '' : `${PAGES}${slug}`

function contextOf(deps: PublicPageDeps, request: FastifyRequest, page: KeptPage, query: URLSearchParams): HtmlContext {
  const { slug, domain, visibility } = page.copy.model
  const key = visibility === 'link' ? query.get('key') : null
  return {
    url: addressOf(deps.publicUrl(), slug, domain),
    base: baseOf(deps.copies, request, page.copy.model),
    query: key === null ? '' : `?key=${encodeURIComponent(key)}`,
    isBehind: page.isBehind,
    takesSubscribers: true,
  }
}

const UnlockForm = Type.Object({ password: Type.String({ maxLength: PAGE_PASSWORD_LENGTH.maximum }) })

/**
 * Passwords count before they are verified: many at once must not pass. Of one address a few are taken; of all together so many
 * that no single visitor keeps the others out, and few enough that nobody finds a password by many addresses.
 */
async function unlock(deps: PublicPageDeps, request: FastifyRequest, reply: FastifyReply, limiter: RateLimiter): Promise<void> {
  const { slug, query } = split(request.url)
  const page = await deps.copies.find(slug)
  if (!page || page.copy.model.visibility !== 'password') return sendNotFound(reply)
  const context = contextOf(deps, request, page, query)
  const counted = [
    { key: limitKeyOfAddress(request.ip, 'auth'), group: 'auth' },
    { key: `status page:${page.id}`, group: 'read' },
  ] as const
  if (counted.some(({ key, group }) => limiter.peek(key, group).remaining === 0))
    return sendLocked(reply, page, context, 'tooMany')
  for (const { key, group } of counted) limiter.record(key, group)
  const { password } = request.body as Static<typeof UnlockForm>
  const { passwordHash } = page.copy
  const isRight = await verifyPassword(passwordHash ?? undefined, password)
  if (!isRight || passwordHash === null) return sendLocked(reply, page, context, 'wrongPassword')
  const cookie = [
    `${VISITOR_COOKIE}=${deps.keys.ofVisitor(page.id, passwordHash)[0]}`,
    `Path=${context.base || '/'}`,
    `Max-Age=${VISITOR_SECONDS}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(request.protocol === 'https' ? ['Secure'] : []),
  ]
  reply.header('set-cookie', cookie.join('; '))
  void reply
    .code(303)
    .header('cache-control', 'no-store')
    .header('location', context.base || '/')
    .send()
}

function sendLocked(
  reply: FastifyReply,
  { copy }: KeptPage,
  context: HtmlContext,
  fault: 'wrongPassword' | 'tooMany' | undefined,
): void {
  const { type, body } = renderLocked(copy.model, context, fault)
  const guards = { 'content-security-policy': policyOf(copy.model, "'none'"), 'cache-control': 'no-store', ...NOINDEX }
  void reply
    .code(fault === 'tooMany' ? 429 : 401)
    .headers(guards)
    .type(type)
    .send(body)
}

function headersOf({ copy }: KeptPage, { etag, type }: View, isEmbed: boolean): Record<string, string> {
  const { model } = copy
  const isPublic = model.visibility === 'public'
  const isHtml = type.startsWith('text/html')
  return {
    etag,
    'cache-control': isPublic ? PUBLIC_CACHE : 'private, no-cache',
    vary: model.visibility === 'password' ? 'Accept-Encoding, Cookie' : 'Accept-Encoding',
    'referrer-policy': 'no-referrer',
    ...(isHtml && { 'content-security-policy': policyOf(model, isEmbed ? '*' : "'none'") }),
    ...(type.startsWith('image/') && { 'content-security-policy': IMAGE_POLICY }),
    // Widgets of other pages read the machine-readable forms.
    ...(isPublic && (!isHtml || isEmbed) && { 'cross-origin-resource-policy': 'cross-origin' }),
    ...(isPublic && !isHtml && { 'access-control-allow-origin': '*' }),
    ...(!(isPublic && model.indexed) && NOINDEX),
  }
}

function sendView(request: FastifyRequest, reply: FastifyReply, view: View): void {
  if (isKnownTag(request.headers['if-none-match'], view.etag)) return void reply.code(304).send()
  const encoding = PACKED.test(view.type) ? undefined : chooseEncoding(request.headers['accept-encoding'])
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  void reply.type(view.type).send(view.bytes(encoding ?? 'identity'))
}

const sendNotFound = (reply: FastifyReply): void => void reply.code(404).headers(NOT_FOUND.headers).send(NOT_FOUND.body)

/** `/status/slug/path?query`. */
function split(url: string): { slug: string; path: string; query: URLSearchParams } {
  const all = pathOf(url)
  const rest = all.slice(PAGES.length)
  const end = rest.indexOf('/')
  const slug = end < 0 ? rest : rest.slice(0, end)
  const path = end < 0 ? '' : rest.slice(end)
  return { slug, path: path === '/' ? '' : path, query: new URLSearchParams(url.slice(all.length)) }
}
