/** The three numbers of a version; undefined for whatever else an agent calls itself. */
function numbersOf(version: string): number[] | undefined {
  const match = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(version)
  return match?.slice(1).map(Number)
}

/** Whether a version is below the newest one; null where nobody can say, because one of them is not of ours. */
export function isOutdated(version: string, newest: string): boolean | null {
  const [own, other] = [numbersOf(version), numbersOf(newest)]
  if (!own || !other) return null
  const at = own.findIndex((number, index) => number !== other[index])
  return at >= 0 && (own[at] ?? 0) < (other[at] ?? 0)
}

export const newerOf = (one: string, other: string): string => (isOutdated(one, other) === true ? other : one)
