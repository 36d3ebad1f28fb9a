/** Gives the same object for the same text: what thousands of hosts have in common is in memory once. Forgets all beyond `most`. */
export function createInterner<T extends object>(most: number): (text: string, make: () => T) => T {
  const cache = new Map<string, T>()
  return (text, make) => {
    const cached = cache.get(text)
    if (cached) return cached
    if (cache.size >= most) cache.clear()
    const made = make()
    cache.set(text, made)
    return made
  }
}
