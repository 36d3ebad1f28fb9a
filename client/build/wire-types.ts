import * as shared from '@vedette/shared'
import { type Route, ROUTES } from '../src/routes.ts'

/** The keywords that decide a type. Bounds, formats and the rest do not. */
interface Schema {
  $id?: string
  $ref?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  allOf?: readonly Schema[]
  type?: string | readonly string[]
  properties?: Record<string, Schema>
  required?: readonly string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  description?: string
}

const EXPORTS = shared as unknown as Readonly<Record<string, Schema | readonly Schema[]>>
const BY_ID = new Map(
  Object.values(EXPORTS)
    .flat()
    .filter((schema) => schema.$id !== undefined)
    .map((schema) => [schema.$id, schema]),
)
const schemaOf = (name: string) => BY_ID.get(name) ?? [EXPORTS[name] ?? {}].flat()[0] ?? {}

/** Declarations of all types that the routes name, and of those that these refer to, sorted; `Wire` maps their names to them. */
export function wireTypes(): string {
  const names = new Set<string>(
    Object.values(ROUTES as Readonly<Record<string, Readonly<Record<string, Route>>>>)
      .flatMap((routes) => Object.values(routes))
      .flatMap(({ query = [], body = [], answer = [] }) => [query, body, answer].flat()),
  )
  const declarations = [
    `export type ErrorCode = ${unionOf(Object.keys(shared.ERROR_STATUS).map((code) => JSON.stringify(code)))}`,
  ]
  names.add('ErrorDetail')
  // A Set's iteration includes what is added meanwhile.
  for (const name of names) {
    const text = typeOf(schemaOf(name), (other) => names.add(other))
    declarations.push(`export type ${name} = ${text}`)
  }
  const map = [...names]
    .filter((name) => name in shared)
    .sort()
    .map((name) => `  ${name}: ${name}`)
  return `${declarations.sort().join('\n\n')}\n\nexport interface Wire {\n${map.join('\n')}\n}\n`
}

/** The type of a schema. `refer` is called with each name that it refers to. Throws for a schema that decides no type. */
function typeOf(schema: Schema, refer: (name: string) => void): string {
  const inner = (part: Schema) => typeOf(part, refer)
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#', '')
    refer(name)
    return name
  }
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return unionOf(schema.enum.map((value) => JSON.stringify(value)))
  if (schema.anyOf) return unionOf(schema.anyOf.map(inner))
  if (schema.allOf) return schema.allOf.map((part) => `(${inner(part)})`).join(' & ')
  if (schema.type === undefined) return 'unknown'
  return unionOf([schema.type].flat().map((type) => typeOfOne(type, schema, inner)))
}

function typeOfOne(type: string, schema: Schema, inner: (part: Schema) => string): string {
  if (type === 'string' || type === 'boolean' || type === 'null') return type
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'array') return `(${inner(schema.items ?? {})})[]`
  if (type !== 'object') throw new Error(`a schema of type ${type} has no TypeScript type here`)
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const comment = field.description === undefined ? '' : `/** ${field.description.replaceAll('*/', '*\\/')} */\n`
    return `${comment}${JSON.stringify(name)}${schema.required?.includes(name) ? '' : '?'}: ${inner(field)}`
  })
  const [pattern] = Object.values(schema.patternProperties ?? {})
  const others = pattern ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined)
  if (others) fields.push(`[name: string]: ${inner(others)}`)
  if (fields.length === 0) return 'Record<string, unknown>'
  return `{\n${fields.join('\n').replaceAll(/^/gm, '  ')}\n}`
}

const unionOf = (types: readonly string[]) => [...new Set(types)].join(' | ')
