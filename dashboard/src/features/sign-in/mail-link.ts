/** A page that mails link to, with the token of the link; empty without one. */
export interface MailLink {
  path: '/invitations/accept' | '/password-reset'
  token: string
}

/** Removes the token from the address bar, since it is a secret; the history entry keeps it for a reload. */
export function takeMailLink(): MailLink | undefined {
  const path = location.pathname
  if (path !== '/invitations/accept' && path !== '/password-reset') return undefined
  const state = history.state as { linkToken?: string } | null
  const tokenInUrl = new URLSearchParams(location.search).get('token')
  if (tokenInUrl !== null) history.replaceState({ linkToken: tokenInUrl }, '', path)
  return { path, token: tokenInUrl ?? state?.linkToken ?? '' }
}
