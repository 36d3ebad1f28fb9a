import type { PageModel } from '../reading/model.ts'
import type { Rendered } from './rendered.ts'
import { escape } from './escape.ts'
import { formatsOf } from './formats.ts'
import { anchor, href, type HtmlContext, htmlOf } from './html.ts'
import { SUBSCRIBE_TEXTS } from './subscribe-texts.ts'

type SubscribeState = 'form' | 'sent' | 'invalid' | 'full' | 'tooMany'

/** The form for an address, and what became of it. */
export function renderSubscribe(model: PageModel, context: HtmlContext, state: SubscribeState): Rendered {
  const texts = SUBSCRIBE_TEXTS[model.language]
  if (state === 'sent') return document(model, context, texts.heading, [`<p role="status">${escape(texts.sent)}</p>`])
  const fault = state === 'form' ? false : state === 'tooMany' ? formatsOf(model).texts.tooMany : texts[state]
  return document(model, context, texts.heading, [
    `<p>${escape(texts.intro)}</p>`,
    fault && `<p class="d" role="alert">${escape(fault)}</p>`,
    `<form method="post" action="${href(context, '/subscribe')}"><label for="e">${escape(texts.email)}</label>` +
      `<input id="e" name="email" type="email" autocomplete="email" required maxlength="254"><br>${button(texts.subscribe)}</form>`,
  ])
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
