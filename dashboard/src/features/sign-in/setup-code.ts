/** Removes the set-up code from the address bar, since it is a secret; the history entry keeps it for a reload. */
export function takeSetupCode(): string {
  const state = history.state as { code?: string } | null
  const codeInUrl = new URLSearchParams(location.search).get('code')
  if (codeInUrl !== null && location.pathname === '/') history.replaceState({ code: codeInUrl }, '', '/')
  return codeInUrl ?? state?.code ?? ''
}
