import type { FastifyReply, FastifyRequest } from 'fastify'
import { rateLimited } from '../errors.ts'
import { PLAIN_PAGE_HEADERS, plainPage, readerLanguage } from './plain-page.ts'
import { limitGroup, limitGroupOfPage, limitHeaders, limitKeyOfAddress, type RateLimiter } from './rate-limit.ts'

/**
 * Counts a request outside the API for its address, apart from the API and by this instance alone: pages are served when the database is
 * away. Throws rate_limited; false where a page for people has said so.
 */
export function isAdmittedPage(request: FastifyRequest, reply: FastifyReply, path: string, limiter: RateLimiter): boolean {
  const [group, limited] = [limitGroup(request.method, path), limitGroupOfPage(path)]
  const address = limitKeyOfAddress(request.ip, group)
  const isRefused = limited !== undefined && limiter.peek(`page ${address}`, limited).remaining === 0
  const state = limited && limiter.record(`page ${address}`, limited)
  // Pages show the limit of the API, which does not count them.
  reply.headers(limitHeaders(state && (isRefused || limited === 'read') ? state : limiter.peek(address, group)))
  if (!state || !isRefused) return true
  if (request.headers.accept?.includes('text/html') !== true)
    throw rateLimited('Too many requests.', { max: state.limit, nowMs: limiter.now(), untilMs: state.resetAtSeconds * 1000 })
  const seconds = Math.max(1, Math.ceil(state.resetAtSeconds - limiter.now() / 1000))
  const text = `Too many came from your address. Try again in ${seconds} s.`
  const page = plainPage(readerLanguage(request), 'Too many requests', text)
  void reply.code(429).headers(PLAIN_PAGE_HEADERS).header('retry-after', seconds).send(page)
  return false
}
