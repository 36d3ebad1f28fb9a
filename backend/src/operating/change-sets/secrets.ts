import { MASK } from '@vedette/shared'
import type { Spec } from '../../access/auth/index.ts'
import { changedFields } from './differences.ts'
import type { Kind } from './kinds.ts'

// Secrets that nobody gives again, and secrets that are given. All pure.

/** The value at a dotted path. */
const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], value)

/** Whether nobody has given the secret at the path of a spec. */
export function isKept(spec: Spec, path: string): boolean {
  const value = valueAt(spec, path)
  return value === undefined || standsForStored(value)
}

/** Whether a value stands for the stored secret. */
function standsForStored(value: unknown): boolean {
  if (value === MASK) return true
  return typeof value === 'object' && value !== null && Object.keys(value).join() === 'from'
}

/** The spec with stored values where it keeps them. `missing`: paths where nothing is stored. */
export function keepSecrets(spec: Spec, stored: Spec | undefined): { spec: Spec; missing: string[] } {
  const missing: string[] = []
  const keep = (value: unknown, before: unknown, path: readonly string[]): unknown => {
    if (standsForStored(value)) {
      if (before === undefined) missing.push(path.join('.'))
      return before
    }
    if (typeof value !== 'object' || value === null) return value
    const below = (before ?? {}) as Record<string, unknown>
    const entries = Object.entries(value).map(([name, part]) => [name, keep(part, below[name], [...path, name])] as const)
    return Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries)
  }
  return { spec: keep(spec, stored, []) as Spec, missing }
}

interface Change {
  before: Spec | null
  after: Spec | null
  /** Dotted paths of secrets that nobody has given. */
  kept: readonly string[]
  hasLostSecrets?: boolean
}

/** The body of the change of a step: what differs, and secrets that were given again. One that is kept is a mask: it stays where it is. */
export function patchOf(kind: Kind, { before, after, kept, hasLostSecrets }: Change): Spec {
  const [from, to] = [before ?? {}, after ?? {}]
  const given = kind.secretsIn(to).filter((path) => !kept.includes(path))
  const sent = new Set([
    ...(hasLostSecrets ? Object.keys(to) : []),
    ...changedFields(from, to),
    ...given.map((path) => path.split('.')[0] as string),
  ])
  const patch = Object.fromEntries(Object.entries(to).filter(([name]) => sent.has(name) && kind.changeable.has(name)))
  return kept.reduce((masked, path) => withMask(masked, path.split('.')), kind.toPatch(from, patch))
}

/** A copy with a mask at the path, where there is a value. */
function withMask(value: Spec, [name = '', ...rest]: readonly string[]): Spec {
  const inner = value[name]
  if (inner === undefined) return value
  if (rest.length === 0) return { ...value, [name]: MASK }
  if (typeof inner !== 'object' || inner === null) return value
  const parts = withMask(Object.fromEntries(Object.entries(inner)), rest)
  return { ...value, [name]: Array.isArray(inner) ? Object.values(parts) : parts }
}
