import { MAX_SUBSCRIBER_URL_LENGTH } from '@vedette/shared'
import type { PageModel } from '../reading/model.ts'
import type { Rendered } from './rendered.ts'
import { escape } from './escape.ts'
import { formatsOf } from './formats.ts'
import { anchor, href, type HtmlContext, htmlOf } from './html.ts'
import { SUBSCRIBE_SCRIPT } from './push-scripts.ts'
import { SUBSCRIBE_TEXTS, type SubscribeTexts } from './subscribe-texts.ts'

export type SubscribeState = 'form' | 'sent' | 'invalid' | 'full' | 'tooMany' | 'refused' | 'posted' | 'invalidUrl'

/** How visitors may subscribe at this installation. */
export interface SubscribeWays {
  sendsMail: boolean
  /** For which a browser subscribes; undefined: none may. */
  publicKey: string | undefined
}

/** Below the address of a page; a worker is in charge of what has its path. */
export const WORKER_PATH = '/push-worker.js'

/** The forms for an address and for this browser, and what became of them. */
export function renderSubscribe(model: PageModel, context: HtmlContext, state: SubscribeState, ways: SubscribeWays): Rendered {
  const texts = SUBSCRIBE_TEXTS[model.language]
  if (state === 'sent' || state === 'posted')
    return document(model, context, texts.heading, [`<p role="status">${escape(texts[state])}</p>`])
  const fault = state === 'form' ? false : state === 'tooMany' ? formatsOf(model).texts.tooMany : texts[state]
  return document(model, context, texts.heading, [
    `<p>${escape(texts.intro)}</p>`,
    fault && `<p class="d" role="alert">${escape(fault)}</p>`,
    ways.sendsMail &&
      `<h3 class="way">${escape(texts.byEmail)}</h3><form method="post" action="${href(context, '/subscribe')}"><label for="e">${escape(texts.email)}</label>` +
        `<input id="e" name="email" type="email" autocomplete="email" required maxlength="254"><br>${button(texts.subscribe)}</form>`,
    ways.publicKey !== undefined && browserForm(context, texts, ways.publicKey),
    `<h3 class="way">${escape(texts.byWebhook)}</h3><p>${escape(texts.webhookIntro)}</p><form method="post" action="${href(context, '/subscribe/webhook')}">` +
      `<label for="u">${escape(texts.url)}</label><input id="u" name="url" type="url" required maxlength="${MAX_SUBSCRIBER_URL_LENGTH}"><br>${button(texts.subscribe)}</form>`,
    `<script>${SUBSCRIBE_SCRIPT}</script>`,
  ])
}

/** Its script shows it where the browser can show notifications. */
function browserForm(context: HtmlContext, texts: SubscribeTexts, publicKey: string): string {
  const fields = ['endpoint', 'p256dh', 'auth'].map((name) => `<input type="hidden" name="${name}">`)
  return (
    `<form id="b" hidden method="post" action="${href(context, '/subscribe/browser')}" data-key="${publicKey}" data-worker="${href(context, WORKER_PATH)}">` +
    `<h3 class="way">${escape(texts.byBrowser)}</h3><p>${escape(texts.browserIntro)}</p>${fields.join('')}` +
    `<p class="d" role="alert" hidden>${escape(texts.browserFault)}</p>${button(texts.browser)}</form>`
  )
}

/** `path`: of the subscription below the page. */
export function renderConfirm(model: PageModel, context: HtmlContext, path: string): Rendered {
  const texts = SUBSCRIBE_TEXTS[model.language]
  return document(model, context, texts.confirmHeading, [
    `<p>${escape(texts.confirmIntro)}</p>`,
    form(context, path, 'confirm', button(texts.confirm)),
    form(context, path, 'unsubscribe', button(texts.unsubscribe, 'q')),
  ])
}

/** The choice of components, by their ids on the wire, and the end of the subscription. */
export function renderSubscription(
  model: PageModel,
  context: HtmlContext,
  path: string,
  chosen: ReadonlySet<string>,
  isSaved: boolean,
): Rendered {
  const texts = SUBSCRIBE_TEXTS[model.language]
  const components = new Map(model.sections.flatMap((section) => section.components.map(({ id, name }) => [id, name])))
  const choices = [...components].map(
    ([id, name]) =>
      `<li><label><input class="c" type="checkbox" name="${id}"${chosen.has(id) ? ' checked' : ''}> ${escape(name)}</label></li>`,
  )
  const choice = `<fieldset><legend>${escape(texts.all)}</legend><ul>${choices.join('')}</ul></fieldset>${button(texts.save)}`
  return document(model, context, texts.manageHeading, [
    isSaved && `<p role="status">${escape(texts.saved)}</p>`,
    choices.length > 0 && `<p>${escape(texts.manageIntro)}</p>${form(context, path, 'save', choice)}`,
    form(context, path, 'unsubscribe', button(texts.unsubscribe, 'q')),
  ])
}

export function renderEnded(model: PageModel, context: HtmlContext, state: 'unsubscribed' | 'unknown'): Rendered {
  const texts = SUBSCRIBE_TEXTS[model.language]
  return document(model, context, texts.manageHeading, [`<p role="status">${escape(texts[state])}</p>`])
}

/** The class `q` is that of a second choice. */
const button = (text: string, className = ''): string => `<button class="${className}">${escape(text)}</button>`
const form = (context: HtmlContext, path: string, action: string, content: string): string =>
  `<form method="post" action="${href(context, path)}"><input type="hidden" name="action" value="${action}">${content}</form>`

function document(model: PageModel, context: HtmlContext, heading: string, main: readonly (string | false)[]): Rendered {
  const nav = [anchor(context, '', formatsOf(model).texts.back)]
  const unlisted = { ...model, indexed: false }
  return htmlOf(unlisted, context, `${heading} · ${model.title}`, [`<h2>${escape(heading)}</h2>`, ...main], nav, false)
}
