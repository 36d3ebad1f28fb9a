type Value = string | number | boolean | undefined | null

/** Of a query string: a name that stands twice is a list. Each route makes of the texts what it takes. */
export function parseSearch(query: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    const before = found[name]
    found[name] = before === undefined ? value : [before, value].flat()
  }
  return found
}

/** Readable links: no quotes, no brackets, and nothing for what is not chosen. */
export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    [value as Value | Value[]]
      .flat()
      .flatMap((one) => (one === undefined || one === null || one === '' ? [] : [[name, String(one)]])),
  )
  return pairs.length > 0 ? `?${String(new URLSearchParams(pairs))}` : ''
}
