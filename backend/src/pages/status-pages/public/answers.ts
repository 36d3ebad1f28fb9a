import { renderNotFound } from '../render/html.ts'

/** Readers may use a page for a quarter of a minute, and show it for ten minutes while they fetch a new one. */
export const PUBLIC_CACHE = 'public, max-age=15, stale-while-revalidate=600'
export const NOINDEX = { 'x-robots-tag': 'noindex' }

/** The answer where there is no page, with the status 404. */
const { type, body, policy } = renderNotFound()
export const NOT_FOUND = {
  headers: { ...NOINDEX, 'cache-control': 'no-store', 'content-type': type, 'content-security-policy': policy },
  body,
}

/** Whether the reader has this version already. */
export const isKnownTag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false
