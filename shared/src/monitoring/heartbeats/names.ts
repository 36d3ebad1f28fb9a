// Apart from schedules, whose calendars a page that names a kind of check need not load.

export const MAX_SLUG_LENGTH = 100
const SLUG = /^[a-z0-9_-]{1,100}$/
/** The last parts of the addresses of pings. */
const ACTIONS = /^(?:start|fail|log|\d+)$/

/** Whether a name can stand in the address of a ping. Pure. */
export const isSlug = (text: string): boolean => SLUG.test(text) && !ACTIONS.test(text)

/** A slug from the name of a monitor. Pure. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH - 10)
    .replaceAll(/^-+|-+$/g, '')
  return isSlug(slug) ? slug : `job-${slug || 'ping'}`
}

/** Of a token in the address of a ping: our own, a UUID of Healthchecks, or a token of Uptime Kuma. */
export const PING_TOKEN = { minimum: 10, maximum: 128, pattern: /^[A-Za-z0-9_-]{10,128}$/ } as const
