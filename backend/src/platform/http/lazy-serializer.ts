import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

const buildSerializer = SerializerSelector()

type Serialize = ReturnType<ReturnType<typeof buildSerializer>>

/** Serializers by the text of their schemas: many routes answer alike, and tests make many apps in one process. */
const serializers = new Map<string, Serialize>()

/**
 * The framework's own, but each serializer is made when its answer is first sent: most refusals never are, and making all of them
 * was a half of the time in which the app gets ready. It knows only the schemas that its own refers to: to read all of them takes
 * 15 ms.
 */
export const buildLazySerializer: typeof buildSerializer = (schemas, options) => (route) => {
  let serialize: Serialize | undefined
  return (answer) => (serialize ??= compileOnce(route, (schemas ?? {}) as Schemas, options))(answer)
}

type Schemas = Readonly<Record<string, object>>

function compileOnce(
  route: Parameters<ReturnType<typeof buildSerializer>>[0],
  schemas: Schemas,
  options: Parameters<typeof buildSerializer>[1],
): Serialize {
  const named = namedIn(route.schema as object, schemas)
  const text = JSON.stringify([route.schema, named, options])
  const serialize = serializers.get(text) ?? buildSerializer(named, options)(route)
  serializers.set(text, serialize)
  return serialize
}

/** The named schemas that a schema refers to, itself or through others. */
function namedIn(root: object, schemas: Schemas): Schemas {
  const named: Record<string, object> = {}
  const parts = [root]
  for (const part of parts) {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"\$ref":"([^"#]+)/g)) {
      const schema = schemas[name]
      if (!schema || name in named) continue
      named[name] = schema
      parts.push(schema)
    }
  }
  return named
}

/**
 * For a route whose answers are thousands of values, each named where the answer is made: the schema's serializer looks at them one by
 * one and takes three times as long, while pushes wait. What comes out is held to the schema by tests alone.
 */
export const writeWithoutSchema = () => JSON.stringify
