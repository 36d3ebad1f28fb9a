/** The keywords of a schema that an example follows from. */
interface Described {
  $ref?: string
  examples?: readonly unknown[]
  anyOf?: readonly object[]
  enum?: readonly unknown[]
  type?: string | readonly string[]
  properties?: Readonly<Record<string, object>>
  required?: readonly string[]
  items?: object
  minimum?: number
}

/** The schemas that others refer to, by their ids. */
export type NamedSchemas = ReadonlyMap<string, object>

/**
 * An example of what a schema describes: its own, or one made of those of its parts. An optional property is shown if it has an
 * example of its own; with `isWhole` each is. Undefined for a text that has none.
 */
export function composeExample(schema: object, named: NamedSchemas, isWhole = false): unknown {
  const { examples, anyOf, enum: choices, type, properties = {}, required = [], items, minimum = 0 } = follow(schema, named)
  const compose = (part: object) => composeExample(part, named, isWhole)
  if (examples) return examples[0]
  if (anyOf?.[0]) return compose(anyOf[0])
  if (choices) return choices[0]
  if (type === 'object') {
    const isShown = ([name, part]: [string, object]) => isWhole || required.includes(name) || follow(part, named).examples
    const values = Object.entries(properties)
      .filter(isShown)
      .map(([name, part]) => [name, compose(part)] as const)
    return Object.fromEntries(values.filter(([, value]) => value !== undefined))
  }
  if (type === 'array') {
    const item = items && compose(items)
    return item === undefined ? [] : [item]
  }
  if (type === 'boolean') return false
  if (type === 'integer' || type === 'number') return minimum
  return type?.includes('null') ? null : undefined
}

/** The schema itself, or that which it refers to. An example next to the reference counts. */
function follow(schema: object, named: NamedSchemas): Described {
  const { $ref, ...own }: Described = schema
  return $ref === undefined ? schema : { ...named.get($ref.replace(/#$/, '')), ...own }
}
