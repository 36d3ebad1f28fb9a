let lastKey = 0
/** A React key for a row of a form. */
export const newKey = (): number => {
  lastKey += 1
  return lastKey
}

/** The list with the entry at `index` moved by one place. */
export function moved<Entry>(list: readonly Entry[], index: number, by: -1 | 1): Entry[] {
  const entry = list[index]
  const rest = list.filter((_, at) => at !== index)
  return entry === undefined ? rest : rest.toSpliced(index + by, 0, entry)
}

/** The list with fields of the entry at `index` changed. */
export const withPart = <Entry extends object>(list: readonly Entry[], index: number, part: Partial<Entry>): Entry[] =>
  list.map((entry, at) => (at === index ? { ...entry, ...part } : entry))

/** The list without the entry at `index`. */
export const without = <Entry>(list: readonly Entry[], index: number): Entry[] => list.filter((_, at) => at !== index)

/** The messages of fields below a path such as `steps.0.`, by the rest of their path. */
export const errorsBelow = (errors: Readonly<Record<string, string>>, prefix: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(errors).flatMap(([path, message]) => (path.startsWith(prefix) ? [[path.slice(prefix.length), message]] : [])),
  )
