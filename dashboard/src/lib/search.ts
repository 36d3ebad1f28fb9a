type Value = string | number | boolean | undefined | null

/** Parses a query string; a repeated name becomes a list. */
export function parseSearch(query: string): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    const previous = parameters[name]
    parameters[name] = previous === undefined ? value : [previous, value].flat()
  }
  return parameters
}

/** Writes a readable query string: no quotes, no brackets, no empty values. */
export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    [value as Value | Value[]]
      .flat()
      .flatMap((item) => (item === undefined || item === null || item === '' ? [] : [[name, String(item)]])),
  )
  return pairs.length > 0 ? `?${String(new URLSearchParams(pairs))}` : ''
}
