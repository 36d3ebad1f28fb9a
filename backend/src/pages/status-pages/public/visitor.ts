import { timingSafeEqual } from 'node:crypto'
import type { KeptPage } from '../copies/kept-page.ts'
import type { PageKeys } from '../pages/keys.ts'

/** The cookie of visitors who knew the password of a page. */
export const VISITOR_COOKIE = 'vedette_page'

/** What a visitor sees: the page, the question for its password, or nothing. */
export type Admission = 'page' | 'locked' | 'nothing'

/** `key`: of the address, `cookie`: the header. */
export function admit(keys: PageKeys, { id, copy }: KeptPage, key: string | null, cookie: string | undefined): Admission {
  const { model, passwordHash, linkVersion } = copy
  if (model.visibility === 'link') return isOneOf(key, keys.ofLink(id, linkVersion)) ? 'page' : 'nothing'
  if (model.visibility === 'password') {
    const known = passwordHash !== null && isOneOf(cookieOf(cookie), keys.ofVisitor(id, passwordHash))
    return known ? 'page' : 'locked'
  }
  return 'page'
}

function isOneOf(text: string | null, valid: readonly string[]): boolean {
  if (text === null) return false
  const given = Buffer.from(text)
  return valid.some((one) => given.length === Buffer.byteLength(one) && timingSafeEqual(given, Buffer.from(one)))
}

function cookieOf(header: string | undefined): string | null {
  for (const part of (header ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name === VISITOR_COOKIE && value !== undefined) return value
  }
  return null
}
