import * as shared from '@vedette/shared'

interface NamedSchema {
  $id: string
}

const isNamedSchema = (value: unknown): value is NamedSchema =>
  typeof value === 'object' && value !== null && typeof (value as Partial<NamedSchema>).$id === 'string'

/** Schemas that probes and the backend exchange; the published description does not contain them. */
const INTERNAL = new Set(['CheckResult'])

/** Lists that grow: types of clients take any text. */
const OPEN_LISTS: Readonly<Record<string, string[]>> = {
  AssertionType: Object.keys(shared.ASSERTION_TYPES),
  CheckType: Object.keys(shared.CHECK_TYPES),
}

/** Named schemas of the OpenAPI description: everything that `@vedette/shared` exports with an `$id`, each once. */
export const SCHEMAS: NamedSchema[] = [...namedSchemas()]
  .filter(({ $id }) => !INTERNAL.has($id))
  .map((schema) => (Object.hasOwn(OPEN_LISTS, schema.$id) ? { ...schema, enum: OPEN_LISTS[schema.$id] } : schema))

function namedSchemas(): Iterable<NamedSchema> {
  const exported: unknown[] = Object.values(shared).flat()
  return new Map(exported.filter(isNamedSchema).map((schema) => [schema.$id, schema])).values()
}
