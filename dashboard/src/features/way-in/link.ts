/** A page that mails link to, with the secret of the link; empty where it has none. */
export interface MailLink {
  path: '/invitations/accept' | '/password-reset'
  token: string
}

/** The token is a secret, so it leaves the address bar at once, and stays with this entry of the history for a reload. */
export function takeLink(): MailLink | undefined {
  const path = location.pathname
  if (path !== '/invitations/accept' && path !== '/password-reset') return undefined
  const state = history.state as { linkToken?: string } | null
  const given = new URLSearchParams(location.search).get('token')
  if (given !== null) history.replaceState({ linkToken: given }, '', path)
  return { path, token: given ?? state?.linkToken ?? '' }
}
