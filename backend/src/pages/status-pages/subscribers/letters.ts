import { encodeId, newId } from '../../../platform/ids.ts'
import { composeMail } from '../../../notifying/mail/index.ts'
import type { Message, PushMessage } from '../../../notifying/notifications/index.ts'
import type { Mail } from '../../../platform/mail.ts'
import { toTimestamp } from '@vedette/shared'
import type { PageKeys } from '../pages/keys.ts'
import { type AddressedPage, linkTo } from '../pages/address.ts'
import { formatsOf } from '../render/formats.ts'
import { SUBSCRIBE_TEXTS } from '../render/subscribe-texts.ts'
import type { Step, StepJob } from './store.ts'
import type { SubscriberKey, SubscriberTokens } from './tokens.ts'

export interface LinkDeps {
  keys: PageKeys
  tokens: SubscriberTokens
  /** The base URL of links. */
  publicUrl(): string
}

type Page = AddressedPage & Pick<Step, 'title' | 'language'>

/** The page of a subscription. One click (RFC 8058) has a path of its own: a POST to it needs no choice. */
export const subscriptionUrl = (deps: LinkDeps, page: Page, key: SubscriberKey, path: '' | '/unsubscribe' = ''): string =>
  linkTo(deps, page, `/subscriptions/${deps.tokens.make(key)}${path}`)

/** The mail to an address that has been given: to confirm it, or to change a subscription that it has. */
export function subscribedMail(deps: LinkDeps, page: Page, key: SubscriberKey, to: string, isConfirmed: boolean): Mail {
  const texts = SUBSCRIBE_TEXTS[page.language]
  const link = subscriptionUrl(deps, page, key)
  if (isConfirmed) {
    const { subject, text } = texts.knownMail(page.title)
    return composeMail({ to, subject, paragraphs: [text], link })
  }
  const { subject, text, hint } = texts.confirmMail(page.title)
  return composeMail({ to, subject, paragraphs: [text, hint], link })
}

const pageOf = (step: Step): Page => ({ ...step, id: step.page_id })

/** Public names of what it affects. */
function affectedBy({ sections, affected }: Step): string[] {
  const chosen = Object.assign({}, ...sections.map((section) => section.names ?? {})) as Record<string, string>
  return affected.map(({ id, name }) => chosen[encodeId('monitor', id)] ?? name)
}

function textsOf(step: Step) {
  const { texts, time } = formatsOf({ language: step.language, timeZone: step.time_zone })
  const affected = affectedBy(step)
  const times = step.ends_at === null ? [] : [texts.from(time(step.starts_at.getTime()), time(step.ends_at.getTime()))]
  return {
    title: `${step.post_title}: ${texts.postStatus[step.status]}`,
    lines: [
      ...step.text.split(/\n+/).filter((line) => line.trim() !== ''),
      ...times,
      ...(affected.length > 0 ? [`${texts.affects}: ${affected.join(', ')}`] : []),
    ],
  }
}

/** The mail of a step, which one click ends. */
export function stepMail(deps: LinkDeps, step: Step, key: SubscriberKey, to: string): Mail {
  const { title, lines } = textsOf(step)
  return composeMail({
    to,
    subject: `[${step.title}] ${title}`,
    paragraphs: [title, ...lines, SUBSCRIBE_TEXTS[step.language].why(step.title)],
    link: linkTo(deps, pageOf(step)),
    unsubscribeUrl: subscriptionUrl(deps, pageOf(step), key, '/unsubscribe'),
  })
}

const toneOf = ({ status, impact }: Step) => (ENDED.has(status) ? 'resolved' : TONES[impact])

/** The same for a browser: the last step of a post takes the place of the others. */
export function stepPush(deps: LinkDeps, { payload }: StepJob, step: Step): PushMessage {
  const { title, lines } = textsOf(step)
  return {
    content: { title: `[${step.title}] ${title}`, lines, tone: toneOf(step) },
    path: linkTo(deps, pageOf(step)),
    tag: encodeId('post', payload.post_id),
    quiet: false,
  }
}

/** The first message to a browser: the push service takes it only for a subscription that it has. */
export function firstPush(deps: LinkDeps, page: Page): PushMessage {
  const { title, text } = SUBSCRIBE_TEXTS[page.language].firstPush(page.title)
  return { content: { title, lines: [text], tone: 'info' }, path: linkTo(deps, page), tag: 'subscribed', quiet: false }
}

const ENDED: ReadonlySet<string> = new Set(['resolved', 'completed'])
const TONES = { none: 'info', minor: 'warning', major: 'critical', critical: 'critical' } as const

/** The first message to a webhook that a visitor gave: who reads it there may confirm, change and end the subscription. */
export function confirmMessage(deps: LinkDeps, page: Page, key: SubscriberKey, secret: string | undefined, at: Date): Message {
  const { subject, text } = SUBSCRIBE_TEXTS[page.language].confirmMail(page.title)
  const link = linkTo(deps, page)
  return {
    id: encodeId('notification', newId()),
    type: 'status_page.subscription',
    atMs: at.getTime(),
    data: {
      page: { id: encodeId('statusPage', page.id), title: page.title, url: link },
      subscription_url: subscriptionUrl(deps, page, key),
      secret,
    },
    content: { title: subject, lines: [text], tone: 'info' },
    link,
  }
}

/**
 * The same for a webhook or a chat. It contains what is on the page; for one that a visitor gave also the link that ends it.
 */
export function stepMessage(deps: LinkDeps, { id, organization, payload }: StepJob, step: Step): Message {
  const { title, lines } = textsOf(step)
  const link = linkTo(deps, pageOf(step))
  return {
    id: encodeId('notification', id),
    type: 'status_page.post',
    atMs: step.at.getTime(),
    data: {
      page: { id: encodeId('statusPage', step.page_id), title: step.title, url: link },
      post: {
        id: encodeId('post', payload.post_id),
        type: step.post_type,
        title: step.post_title,
        impact: step.impact,
        status: step.status,
        text: step.text,
        components: affectedBy(step),
        starts_at: toTimestamp(step.starts_at.getTime()),
        ends_at: step.ends_at && toTimestamp(step.ends_at.getTime()),
        at: toTimestamp(step.at.getTime()),
      },
      ...(step.by_visitor && {
        subscription_url: subscriptionUrl(deps, pageOf(step), { organization, pageId: step.page_id, id: payload.subscriber_id }),
      }),
    },
    content: { title: `[${step.title}] ${title}`, lines, tone: toneOf(step) },
    link,
    linkText: SUBSCRIBE_TEXTS[step.language].open,
  }
}
