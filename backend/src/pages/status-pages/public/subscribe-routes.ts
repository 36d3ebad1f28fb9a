import type { FastifyReply, FastifyRequest } from 'fastify'
import { MAX_SUBSCRIBER_URL_LENGTH, PushSubscriptionBody } from '@vedette/shared'
import { Type } from 'typebox'
import { createConcurrencyBound } from '../../../platform/concurrency/concurrency-bound.ts'
import { type App, limitKeyOfAddress, type RateLimiter } from '../../../platform/http/index.ts'
import { encodeId, parseId } from '../../../platform/ids.ts'
import type { PageCopies } from '../copies/copies.ts'
import type { KeptPage, PageCopy } from '../copies/kept-page.ts'
import type { PageModel } from '../reading/model.ts'
import { addressOf } from '../pages/address.ts'
import { readPage } from '../reading/read.ts'
import type { Rendered } from '../render/rendered.ts'
import { type HtmlContext, policyOf, SUBSCRIBE_SOURCES } from '../render/html.ts'
import {
  renderConfirm,
  renderEnded,
  renderSubscribe,
  renderSubscription,
  type SubscribeState,
  type SubscribeWays,
} from '../render/subscribe.ts'
import { type BrowserDeps, subscribeBrowser } from '../subscribers/browsers.ts'
import { isVisitorUrl, subscribeWebhook, type WebhookDeps } from '../subscribers/webhooks.ts'
import { subscribe, type SubscribeDeps } from '../subscribers/service.ts'
import { deleteSubscriber, findSubscriber, updateSubscriber } from '../subscribers/store.ts'
import type { SubscriberKey } from '../subscribers/tokens.ts'

export interface SubscribeRouteDeps extends WebhookDeps, BrowserDeps {
  limiter: RateLimiter
  ways: SubscribeWays
  copies: Pick<PageCopies, 'findById'>
}

interface VisitedPage {
  page: KeptPage
  context: HtmlContext
}

export interface VisitedPages {
  /** The page that a visitor may see, or undefined after it was answered. */
  admitted(request: FastifyRequest, reply: FastifyReply): Promise<VisitedPage | undefined>
  /** Answers that there is nothing. */
  refuse(reply: FastifyReply): void
  /** Where links of a page lead for this request. */
  baseOf(request: FastifyRequest, model: PageModel): string
}

/** The choice of a page with 200 monitors. */
const Form = Type.Record(Type.String(), Type.String({ maxLength: 500 }), { maxProperties: 210 })
type Form = Partial<Record<string, string>>
/** `PushSubscriptionBody` as a form has it. */
const { endpoint, keys } = PushSubscriptionBody.properties
const BrowserForm = Type.Object({ endpoint, ...keys.properties }, { additionalProperties: false })
const WebhookForm = Type.Object({ url: Type.String({ maxLength: MAX_SUBSCRIBER_URL_LENGTH }) })
/** Each waits up to 10 s for a push service or a webhook. */
const FIRST_MESSAGES_AT_ONCE = 4
interface TokenParams {
  token: string
}

/** Small enough for a mail server, and no more than one at sign and no blank: a mail shows whether it is right. */
const EMAIL = /^[^\s@<>"(),:;[\]\\]{1,64}@[^\s@<>"(),:;[\]\\]{1,190}\.[^\s@<>"(),:;[\]\\.]{2,63}$/
const MAX_EMAIL = 254

const schema = { hide: true } as const
const formSchema = { hide: true, body: Form } as const

function send(reply: FastifyReply, model: PageModel, { type, body }: Rendered, code = 200): void {
  const guards = {
    'content-security-policy': policyOf(model, "'none'", SUBSCRIBE_SOURCES),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  }
  void reply.code(code).headers(guards).type(type).send(body)
}

/** What all forms need: who may ask for a subscription, and what they see. */
function formsOf(pages: VisitedPages, { limiter, ways }: SubscribeRouteDeps) {
  const show = (reply: FastifyReply, { page, context }: VisitedPage, state: SubscribeState, code = 200) =>
    send(reply, page.copy.model, renderSubscribe(page.copy.model, context, state, ways), code)
  return {
    show,
    /** The page of a visitor who sees it and has not sent too many forms, or undefined after an answer. Counts this one. */
    count: async (request: FastifyRequest, reply: FastifyReply) => {
      const visited = await pages.admitted(request, reply)
      if (!visited) return undefined
      const byAddress = limitKeyOfAddress(request.ip, 'auth')
      if (limiter.peek(byAddress, 'auth').remaining === 0) {
        show(reply, visited, 'tooMany', 429)
        return undefined
      }
      limiter.record(byAddress, 'auth')
      const { page } = visited
      return { visited, ofPage: { organization: page.copy.organization, pageId: page.id } }
    },
    /** Whether somebody may hear of this once more. Nobody learns it. */
    isQuiet: (address: string): boolean => {
      const isQuiet = limiter.peek(`subscribe:${address}`, 'auth').remaining === 0
      limiter.record(`subscribe:${address}`, 'auth')
      return isQuiet
    },
  }
}

/**
 * The pages on which people subscribe, choose and end. A GET changes nothing, since programs open the links of mails. None may be
 * stored, and none says which addresses are known.
 */
export function subscribeRoutes(forms: App, pages: VisitedPages, deps: SubscribeRouteDeps): void {
  const { show, count, isQuiet } = formsOf(pages, deps)
  const firsts = createConcurrencyBound('new subscriptions', 'page', FIRST_MESSAGES_AT_ONCE)

  forms.get('/status/:slug/subscribe', { schema }, async (request, reply) => {
    const visited = await pages.admitted(request, reply)
    if (visited) show(reply, visited, 'form')
    return reply
  })

  if (deps.ways.sendsMail)
    forms.post('/status/:slug/subscribe', { schema: formSchema }, async (request, reply) => {
      const counted = await count(request, reply)
      if (!counted) return reply
      const { visited, ofPage } = counted
      const email = (request.body as Form)['email']?.trim() ?? ''
      if (email.length > MAX_EMAIL || !EMAIL.test(email)) show(reply, visited, 'invalid', 400)
      else if (isQuiet(email.toLowerCase()) || (await subscribe(deps, ofPage, email))) show(reply, visited, 'sent')
      else show(reply, visited, 'full', 409)
      return reply
    })

  forms.post('/status/:slug/subscribe/browser', { schema: { hide: true, body: BrowserForm } }, async (request, reply) => {
    const counted = await count(request, reply)
    if (!counted) return reply
    const { visited, ofPage } = counted
    const { endpoint, ...keys } = request.body
    const made = await firsts.run(ofPage.pageId, () => subscribeBrowser(deps, ofPage, { endpoint, keys }))
    if (typeof made === 'string') show(reply, visited, made, made === 'full' ? 409 : 400)
    else {
      const { context, page } = visited
      const path = `/subscriptions/${deps.tokens.make(made)}`
      await showSubscription(deps, reply, { key: made, model: page.copy.model, context, path })
    }
    return reply
  })

  forms.post('/status/:slug/subscribe/webhook', { schema: { hide: true, body: WebhookForm } }, async (request, reply) => {
    const counted = await count(request, reply)
    if (!counted) return reply
    const { visited, ofPage } = counted
    const { url } = request.body
    const subscribed = () => firsts.run(ofPage.pageId, () => subscribeWebhook(deps, ofPage, url))
    if (!isVisitorUrl(url)) show(reply, visited, 'invalidUrl', 400)
    else if (isQuiet(new URL(url).hostname) || (await subscribed())) show(reply, visited, 'posted')
    else show(reply, visited, 'full', 409)
    return reply
  })
  subscriptionRoutes(forms, pages, deps)
}

interface Visit {
  key: SubscriberKey
  model: PageModel
  context: HtmlContext
  /** Of the subscription below the page. */
  path: string
}

async function showSubscription(
  { db }: Pick<SubscribeDeps, 'db'>,
  reply: FastifyReply,
  { key, model, context, path }: Visit,
  isSaved = false,
): Promise<void> {
  const row = await findSubscriber(db, key)
  if (!row) return send(reply, model, renderEnded(model, context, 'unknown'), 404)
  if (row.confirmed_at === null) return send(reply, model, renderConfirm(model, context, path))
  const chosen = new Set(row.monitors.map((id) => encodeId('monitor', id)))
  send(reply, model, renderSubscription(model, context, path, chosen, isSaved))
}

/** What the links of mails lead to. */
function subscriptionRoutes(forms: App, pages: VisitedPages, deps: SubscribeRouteDeps): void {
  const { db, clock, tokens } = deps

  /** From its copy. A page that was unpublished has none, but its subscribers may leave. */
  async function pageOf({ organization, pageId }: SubscriberKey): Promise<Pick<PageCopy, 'model' | 'linkVersion'> | undefined> {
    const copy = (await deps.copies.findById(pageId))?.copy
    if (copy) return copy.organization === organization ? copy : undefined
    const read = await readPage(db, organization, pageId, clock.now())
    return read && { model: read.model, linkVersion: read.row.link_version }
  }

  /** What a token leads to. The page may have another address by now. */
  async function visit(request: FastifyRequest): Promise<Visit | undefined> {
    const key = tokens.read((request.params as TokenParams).token)
    const page = key && (await pageOf(key))
    if (!key || !page) return undefined
    const { model, linkVersion } = page
    const query = model.visibility === 'link' ? `?key=${deps.keys.ofLink(key.pageId, linkVersion)[0]}` : ''
    const url = addressOf(deps.publicUrl(), model.slug, model.domain)
    const context = { url, base: pages.baseOf(request, model), query, isBehind: false, takesSubscribers: true }
    return { key, model, context, path: `/subscriptions/${(request.params as TokenParams).token}` }
  }

  async function unsubscribe(reply: FastifyReply, { key, model, context }: Visit): Promise<void> {
    await deleteSubscriber(db, key)
    send(reply, model, renderEnded(model, context, 'unsubscribed'))
  }

  for (const path of ['', '/unsubscribe']) {
    forms.get(`/status/:slug/subscriptions/:token${path}`, { schema }, async (request, reply) => {
      const visited = await visit(request)
      if (visited) await showSubscription(deps, reply, visited)
      else pages.refuse(reply)
      return reply
    })
  }

  // One click in a mail program: its body is fixed (RFC 8058).
  forms.post('/status/:slug/subscriptions/:token/unsubscribe', { schema: formSchema }, async (request, reply) => {
    const visited = await visit(request)
    if (visited) await unsubscribe(reply, visited)
    else pages.refuse(reply)
    return reply
  })

  forms.post('/status/:slug/subscriptions/:token', { schema: formSchema }, async (request, reply) => {
    const visited = await visit(request)
    if (!visited) {
      pages.refuse(reply)
      return reply
    }
    const { action, ...fields } = request.body as Form
    if (action === 'unsubscribe') await unsubscribe(reply, visited)
    else {
      const { key, model } = visited
      if (action === 'confirm') await updateSubscriber(db, key, { confirmed_at: new Date(clock.now()) })
      if (action === 'save') {
        const shown = new Set(model.sections.flatMap(({ components }) => components.map(({ id }) => id)))
        const monitors = Object.keys(fields).filter((id) => shown.has(id))
        await updateSubscriber(db, key, { monitors: monitors.flatMap((id) => parseId('monitor', id) ?? []) })
      }
      await showSubscription(deps, reply, visited, action === 'save')
    }
    return reply
  })
}
