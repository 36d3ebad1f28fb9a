import { type ConfigurationKind, ID_PREFIX, type IdKind } from '@vedette/shared'
import { parseId } from '../../platform/ids.ts'
import { ID_KINDS } from './declarations.ts'

// Specs refer to other resources: by ids where they are stored, by `{ ref: "<kind>:<ref>" }` in files. All pure.

const KIND_OF_PREFIX = new Map(
  (Object.entries(ID_KINDS) as [ConfigurationKind, IdKind][]).map(([kind, idKind]) => [ID_PREFIX[idKind] as string, kind]),
)

/** The kind of resource that an id is of; undefined for another text. */
export function kindOfId(text: string): ConfigurationKind | undefined {
  const kind = KIND_OF_PREFIX.get(text.slice(0, 3))
  return kind !== undefined && text[3] === '_' && parseId(ID_KINDS[kind], text) !== undefined ? kind : undefined
}

/** The kind of resource of `monitor:shop/checkout`; undefined for another text. */
export function kindOfReference(text: string): ConfigurationKind | undefined {
  const end = text.indexOf(':')
  const kind = text.slice(0, Math.max(end, 0))
  return Object.hasOwn(ID_KINDS, kind) ? (kind as ConfigurationKind) : undefined
}

const isReferenceText = (text: string): boolean => kindOfReference(text) !== undefined

/** The reference that a value is; undefined for another one. */
function referenceOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { ref, ...others } = value as { ref?: unknown }
  return typeof ref === 'string' && isReferenceText(ref) && Object.keys(others).length === 0 ? ref : undefined
}

/** What stands in place of a text, of a reference, and of a key of an object; undefined keeps it. */
interface Replacements {
  text?: (text: string) => unknown
  reference?: (reference: string, path: readonly string[]) => string | undefined
  key?: (key: string, path: readonly string[]) => string | undefined
}

function replace(value: unknown, replacements: Replacements, path: readonly string[] = []): unknown {
  if (typeof value === 'string') return replacements.text?.(value) ?? value
  const reference = referenceOf(value)
  if (reference !== undefined) return replacements.reference?.(reference, path) ?? value
  if (Array.isArray(value)) return value.map((part: unknown, index) => replace(part, replacements, [...path, String(index)]))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      const at = [...path, key]
      return [replacements.key?.(key, at) ?? key, replace(part, replacements, at)]
    }),
  )
}

type Spec = Record<string, unknown>

/** The spec with references in place of ids; `refOf`: that of an id, undefined where it stays. */
export const withReferences = (spec: Spec, refOf: (id: string) => string | undefined): Spec =>
  replace(spec, {
    text: (text) => {
      const ref = kindOfId(text) && refOf(text)
      return ref === undefined ? undefined : { ref }
    },
    key: (key) => (kindOfId(key) ? refOf(key) : undefined),
  }) as Spec

/** The spec with ids in place of references; those that `idOf` does not know stay as they are. */
export const withIds = (spec: Spec, idOf: (reference: string, path: readonly string[]) => string | undefined): Spec =>
  replace(spec, { reference: idOf, key: (key, path) => (isReferenceText(key) ? idOf(key, path) : undefined) }) as Spec

/** The spec with other ids; `otherOf`: undefined where an id stays. */
export const withOtherIds = (spec: Spec, otherOf: (id: string) => string | undefined): Spec =>
  replace(spec, { text: otherOf, key: otherOf }) as Spec

/** All references of a spec, each with where it stands. */
export function referencesIn(spec: Spec): { reference: string; path: readonly string[] }[] {
  const found: { reference: string; path: readonly string[] }[] = []
  withIds(spec, (reference, path) => {
    found.push({ reference, path })
    return undefined
  })
  return found
}
