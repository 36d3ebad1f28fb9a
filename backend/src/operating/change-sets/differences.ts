import { isDeepStrictEqual } from 'node:util'
import type { Difference } from '@vedette/shared'
import { UNORDERED } from './declarations.ts'

// What differs between two specs. All pure.

type Spec = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Spec => typeof value === 'object' && value !== null && !Array.isArray(value)

const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).toSorted(compareTexts) : value)

/** For `toSorted`: by code, the same on every machine. */
export const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

function isSame(name: string, one: unknown, other: unknown): boolean {
  return UNORDERED.has(name) ? isDeepStrictEqual(sorted(one), sorted(other)) : isDeepStrictEqual(one, other)
}

const pointerTo = (path: string, name: string): string => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** The names of the fields that differ, of the outermost ones. */
export const changedFields = (before: Spec, after: Spec): Set<string> =>
  new Set(differencesBetween(before, after).map(({ path }) => path.split('/')[1] as string))

/** The fields that differ, in the order of their names; lists are compared as a whole. */
export function differencesBetween(before: Spec, after: Spec, path = ''): Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names.flatMap((name) => {
    const [from, to] = [before[name], after[name]]
    if (isSame(name, from, to)) return []
    const at = pointerTo(path, name)
    if (isObject(from) && isObject(to)) return differencesBetween(from, to, at)
    return [{ path: at, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }]
  })
}
