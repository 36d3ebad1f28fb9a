import { hash } from 'node:crypto'

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

/** A page of a title and HTML, both escaped already. Pure. */
export const plainPage = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>${title} - Vedette</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>${content}</main></body></html>`
