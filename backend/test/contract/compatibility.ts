/** A schema as the published description has it, as far as it is walked here. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  required?: string[]
  minimum?: number
  maximum?: number
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Schema
}

/** A reference is to a named parameter. */
type ListedParameter = Parameter | { $ref: string }

interface Operation {
  parameters?: ListedParameter[]
  requestBody?: { content: { 'application/json'?: { schema: Schema } } }
  responses: Record<string, { content?: { 'application/json'?: { schema: Schema } } }>
}

export interface Published {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> }
}

/** What a client may rely on of one operation. */
export interface Surface {
  /** Query parameters and headers. */
  parameters: string[]
  required: string[]
  /** Dotted paths of the fields of the body. */
  body: string[]
  requiredBody: string[]
  /** By status, dotted paths of the fields of the answer. */
  answers: Record<string, string[]>
}

/** Every operation of a description by its name: `GET /v1/servers/{id}`. */
export function surfacesOf({ paths, components }: Published): Record<string, Surface> {
  const entries = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): [string, Surface] => [
      `${method.toUpperCase()} ${path}`,
      surfaceOf(operation, components),
    ]),
  )
  return Object.fromEntries(entries)
}

/** The parameters themselves, also where a name stands for one. */
export function parametersOf(listed: readonly ListedParameter[], named: Record<string, Parameter>): Parameter[] {
  return listed.map((one) => ('$ref' in one ? (named[one.$ref.split('/').at(-1) ?? ''] as Parameter) : one))
}

/** The case of a header's name says nothing. */
const nameOf = (one: Parameter): string => (one.in === 'header' ? one.name.toLowerCase() : one.name)

function surfaceOf(
  { parameters: listed = [], requestBody, responses }: Operation,
  { schemas, parameters: named = {} }: Published['components'],
): Surface {
  const parameters = parametersOf(listed, named)
  const body = requestBody?.content['application/json']?.schema
  // What is an error is the same everywhere, and has a test of its own.
  const successes = Object.entries(responses).filter(([status]) => status < '300')
  return {
    parameters: parameters.map(nameOf).sort(),
    required: parameters.flatMap((one) => (one.required ? [nameOf(one)] : [])).sort(),
    body: body ? pathsOf(body, schemas) : [],
    requiredBody: body ? requiredOf(body, schemas) : [],
    answers: Object.fromEntries(
      successes.map(([status, { content }]) => [status, pathsOf(content?.['application/json']?.schema ?? {}, schemas)]),
    ),
  }
}

/** Calls `seen` for every named field of a schema, with its dotted path. */
export function walkFields(
  schema: Schema,
  schemas: Record<string, Schema>,
  seen: (path: string, name: string, field: Schema) => void,
  at = '',
): void {
  const { properties = {}, items, anyOf = [] } = resolve(schema, schemas)
  for (const [name, field] of Object.entries(properties)) {
    seen(at + name, name, resolve(field, schemas))
    walkFields(field, schemas, seen, `${at}${name}.`)
  }
  for (const part of [...anyOf, ...(items ? [items] : [])]) walkFields(part, schemas, seen, at)
}

function pathsOf(schema: Schema, schemas: Record<string, Schema>): string[] {
  const paths = new Set<string>()
  walkFields(schema, schemas, (path) => void paths.add(path))
  return [...paths].sort()
}

/** Fields that a body must have, whichever of its forms it takes. */
function requiredOf(schema: Schema, schemas: Record<string, Schema>): string[] {
  const { required = [], anyOf } = resolve(schema, schemas)
  const forms = anyOf?.map((form) => requiredOf(form, schemas)) ?? []
  const [first = [], ...others] = forms
  return [...required, ...first.filter((name) => others.every((form) => form.includes(name)))].sort()
}

function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  const name = /([^/#]+)#?$/.exec(schema.$ref ?? '')?.[1]
  return name === undefined ? schema : resolve(schemas[name] ?? {}, schemas)
}

/** What a client of `before` misses now, or is asked for now and was not. */
export function breaksOf(before: Record<string, Surface>, now: Record<string, Surface>): string[] {
  return Object.entries(before).flatMap(([name, old]) => {
    const current = now[name]
    if (!current) return [`${name} is gone`]
    const gone = (what: string, had: readonly string[], has: readonly string[] = []) =>
      had.filter((one) => !has.includes(one)).map((one) => `${name}: ${what} ${one} is gone`)
    const demanded = (had: readonly string[], has: readonly string[]) =>
      has.filter((one) => !had.includes(one)).map((one) => `${name}: ${one} is required now`)
    return [
      ...gone('parameter', old.parameters, current.parameters),
      ...gone('field', old.body, current.body),
      ...Object.entries(old.answers).flatMap(([status, fields]) =>
        current.answers[status] ? gone(`${status} field`, fields, current.answers[status]) : [`${name}: ${status} is gone`],
      ),
      ...demanded(old.required, current.required),
      ...demanded(old.requiredBody, current.requiredBody),
    ]
  })
}
