/** Scheme, host and port of a URL of any scheme; the text itself where it is no URL. */
export function originOf(text: string): string {
  const url = URL.parse(text)
  if (!url) return text
  return url.origin === 'null' ? `${url.protocol}//${url.host.toLowerCase()}` : url.origin
}

/**
 * Those of the stored secrets that a change would send to a destination that they were not stored for. The API never shows a stored
 * secret, so who changes its destination has to know it. Pure.
 */
export function movedSecrets(
  kept: readonly string[],
  before: (name: string) => readonly string[],
  after: (name: string) => readonly string[],
): string[] {
  return kept.filter((name) => {
    const known = new Set(before(name))
    return after(name).some((destination) => !known.has(destination))
  })
}
