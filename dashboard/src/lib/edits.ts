/** Whether two values have the same content. The keys of the rows of a form are new with each reading. */
export const isEqual = (one: unknown, other: unknown): boolean => withoutKeys(one) === withoutKeys(other)
const withoutKeys = (value: unknown): string =>
  JSON.stringify(value, (name, each: unknown) => (name === 'key' && typeof each === 'number' ? undefined : each))

/** The fields of `after` that differ from those of `before`. */
export const changedFields = <Body extends object>(before: Body, after: Body): Partial<Body> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !isEqual(value, before[name as keyof Body])),
  ) as Partial<Body>

/** The fields that two changes of the same version set to different values. */
export const conflictingFields = <Body extends object>(mine: Partial<Body>, theirs: Partial<Body>): (keyof Body & string)[] =>
  (Object.keys(mine) as (keyof Body & string)[]).filter((name) => name in theirs && !isEqual(mine[name], theirs[name]))
