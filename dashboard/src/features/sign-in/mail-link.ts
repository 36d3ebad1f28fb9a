const PAGES = ['/invitations/accept', '/password-reset', '/verify-email'] as const

/** A page that mails link to, with the token of the link; empty without one. */
export interface MailLink {
  path: (typeof PAGES)[number]
  token: string
}

/**
 * Removes the token from the address bar, since it is a secret; the history entry keeps it for a reload. Mails have it in the fragment,
 * the answer to who invites without a mail server in the query.
 */
export function takeMailLink(): MailLink | undefined {
  const path = PAGES.find((page) => page === location.pathname)
  if (path === undefined) return undefined
  const state = history.state as { linkToken?: string } | null
  const tokenOf = (text: string) => new URLSearchParams(text).get('token')
  const tokenInUrl = tokenOf(location.hash.slice(1)) ?? tokenOf(location.search)
  if (tokenInUrl !== null) history.replaceState({ linkToken: tokenInUrl }, '', path)
  return { path, token: tokenInUrl ?? state?.linkToken ?? '' }
}
