import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { escapeHtml } from '../escape-html.ts'
import { type Language, languageOf, translate, translatePart } from '../language/index.ts'

const STYLE =
  ':root{color-scheme:light dark}body{max-width:30rem;margin:4rem auto;padding:0 1rem;font:1rem/1.5 system-ui}button,textarea{font:inherit}textarea{width:100%}button{margin:0 .5rem .5rem 0}'

/** Of pages that links of mails open: without scripts, in no frame, stored nowhere. */
export const PLAIN_PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none';style-src 'sha256-${hash('sha256', STYLE, 'base64')}';base-uri 'none';form-action 'self';frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
}

/** What stands below the title of a page: a sentence, a link, or a form that its own address takes. */
export type PageItem =
  | string
  | { link: string; text: string }
  | { comment?: { text: string; maxLength: number }; buttons: readonly { text: string; action?: string }[] }

/** A page in a language. Its texts are the English ones, and are escaped here. Pure. */
export function plainPage(language: Language, title: string, ...items: readonly PageItem[]): string {
  const heading = escapeHtml(translate(title, language))
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${heading} - Vedette</title><style>${STYLE}</style></head>` +
    `<body><main><h1>${heading}</h1>${items.map((item) => itemHtml(item, language)).join('')}</main></body></html>`
  )
}

/** Of the browser, where nobody is known yet. */
export const readerLanguage = ({ headers }: FastifyRequest): Language => languageOf(headers['accept-language'])

/** Instead of the page of a link that is used up, forged or of somebody who has left. */
export const invalidLinkPage = (request: FastifyRequest, text: string): string =>
  plainPage(readerLanguage(request), 'This link is not valid', text)

function itemHtml(item: PageItem, language: Language): string {
  const say = (text: string) => escapeHtml(translatePart(text, language))
  if (typeof item === 'string') return `<p>${escapeHtml(translate(item, language))}</p>`
  if ('link' in item) return `<p><a href="${escapeHtml(item.link)}">${say(item.text)}</a></p>`
  const { comment, buttons } = item
  const area = comment && `<textarea name="comment" rows="3" maxlength="${comment.maxLength}"></textarea>`
  const field = comment ? `<p><label>${say(comment.text)}<br>${area}</label></p>` : ''
  const button = ({ text, action }: (typeof buttons)[number]) =>
    `<button${action === undefined ? '' : ` name="action" value="${action}"`}>${say(text)}</button>`
  return `<form method="post">${field}${buttons.map(button).join('')}</form>`
}
