import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

const buildSerializer = SerializerSelector()

/**
 * The framework's own, but each serializer is made when its answer is first sent: most refusals never are, and making all of them
 * was a half of the time in which the app gets ready.
 */
export const buildLazySerializer: typeof buildSerializer = (schemas, options) => {
  const compile = buildSerializer(schemas, options)
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined
    return (answer) => (serialize ??= compile(route))(answer)
  }
}

/**
 * For a route whose answers are thousands of values, each named where the answer is made: the schema's serializer looks at them one by
 * one and takes three times as long, while pushes wait. What comes out is held to the schema by tests alone.
 */
export const writeWithoutSchema = () => JSON.stringify
