/** Gives the same object for the same text: what thousands of hosts have in common is in memory once. Forgets all beyond `most`. */
export function createInterner<T extends object>(most: number): (text: string, make: () => T) => T {
  const kept = new Map<string, T>()
  return (text, make) => {
    const known = kept.get(text)
    if (known) return known
    if (kept.size >= most) kept.clear()
    const made = make()
    kept.set(text, made)
    return made
  }
}
