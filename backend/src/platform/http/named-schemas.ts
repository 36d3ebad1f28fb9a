import type { TSchema } from 'typebox'

/** The keywords of a schema of objects. */
interface ObjectSchema {
  type?: string
  properties?: object
  required?: readonly string[]
  minProperties?: number
}

/** The schema itself, or the named one that it refers to. */
export function createSchemaOf(schemas: readonly TSchema[]): (schema: unknown) => ObjectSchema {
  const named = new Map((schemas as readonly (ObjectSchema & { $id?: string })[]).map((schema) => [`${schema.$id}#`, schema]))
  return (schema) => {
    const { $ref, ...own } = (schema ?? {}) as ObjectSchema & { $ref?: string }
    return $ref === undefined ? own : (named.get($ref) ?? {})
  }
}
