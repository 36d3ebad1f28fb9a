import * as contract from './index.ts'

interface Schema {
  $id?: string
  format?: string
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
}

/** Each field of the contract that holds a secret, as `Schema.field`, sorted: those that `Secret` in wire.ts made. */
export function secretFields(): string[] {
  const schemas = Object.values(contract as Record<string, unknown>).filter(isNamedSchema)
  return [...new Set(schemas.flatMap((schema) => fieldsOf(schema).map((field) => `${schema.$id}.${field}`)))].sort()
}

function isNamedSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && typeof (value as Schema).$id === 'string'
}

/** The dotted paths of the secret texts below a schema. */
function fieldsOf(schema: Schema, path = ''): string[] {
  if (schema.format === 'password') return [path]
  const { properties = {}, items, additionalProperties } = schema
  const below = Object.entries(properties).flatMap(([name, field]) => fieldsOf(field, path ? `${path}.${name}` : name))
  const others = [items, additionalProperties].filter((part) => typeof part === 'object')
  return [...below, ...others.flatMap((part) => fieldsOf(part, path))]
}
