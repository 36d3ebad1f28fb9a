/** The code of the URL: a secret, so it leaves the address bar at once, and stays with this entry of the history for a reload. */
export function takeCode(): string {
  const state = history.state as { code?: string } | null
  const given = new URLSearchParams(location.search).get('code')
  if (given !== null && location.pathname === '/') history.replaceState({ code: given }, '', '/')
  return given ?? state?.code ?? ''
}
