import * as shared from '@vedette/shared'
import { type Route, ROUTES } from '@vedette/client/routes'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestBackend, type TestBackend } from '../harness.ts'

/** A schema as JSON; its parts by name. */
type Schema = {
  $id?: string
  $ref?: string
  properties?: Record<string, Schema>
  required?: string[]
  [keyword: string]: unknown
}

interface Parameter {
  in: string
  name: string
  required?: boolean
  schema: Schema
}

interface Operation {
  /** A reference is to a named parameter. */
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, { content?: { 'application/json'?: { schema: Schema } } }>
  security?: object[]
}

interface Description {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> }
}

const calls: [name: string, route: Route][] = Object.entries(ROUTES).flatMap(([noun, routes]) =>
  Object.entries(routes as Record<string, Route>).map(([verb, route]): [string, Route] => [`${noun}.${verb}`, route]),
)

/** `GET /v1/servers/{id}`: what both sides call it. */
const publishedName = ({ method, path }: Route) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`
const schemaOf = (name: string) => (shared as unknown as Record<string, Schema>)[name]

/** Words for people and names of the schema itself say nothing of its shape. */
const WORDS = new Set(['$id', 'description', 'summary', 'title', 'examples', 'example'])

/** What a schema lets through, in one spelling: the published one refers to components, ours to ids. */
function shapeOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shapeOf)
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref } = schema as Schema
  if ($ref !== undefined) return { $ref: $ref.replace(/^#\/components\/schemas\//, '').replace(/#$/, '') }
  const keywords = Object.entries(schema).filter(([keyword]) => !WORDS.has(keyword) && !keyword.startsWith('~'))
  return Object.fromEntries(
    keywords.map(([keyword, value]) => [keyword, keyword === 'properties' ? named(value) : shapeOf(value)]),
  )
}

/** The properties of an object may be called like a keyword. */
const named = (properties: object) =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, shapeOf(value)]))

const isText = ({ content }: Operation['responses'][string]): boolean =>
  content !== undefined && Object.keys(content).length > 0 && content['application/json'] === undefined

describe('the table of the client', () => {
  let backend: TestBackend
  let operations: Map<string, Operation>
  let components: Description['components']['schemas']
  let namedParameters: Record<string, Parameter>
  beforeAll(async () => {
    backend = await startTestBackend()
    const description = (await backend.call('GET', '/openapi.json')).body as Description
    components = description.components.schemas
    namedParameters = description.components.parameters ?? {}
    operations = new Map(
      Object.entries(description.paths)
        // Whether it lives is asked by what watches the backend, not through its API.
        .filter(([path]) => path.startsWith('/v1/'))
        .flatMap(([path, methods]) =>
          Object.entries(methods).map(([method, operation]): [string, Operation] => [
            `${method.toUpperCase()} ${path}`,
            operation,
          ]),
        )
        // A text alone is for programs that know its format, as Prometheus.
        .filter(([, { responses }]) => !Object.values(responses).some(isText)),
    )
  })
  afterAll(() => backend.close())

  const operationOf = (route: Route): Operation => {
    const operation = operations.get(publishedName(route))
    if (!operation) throw new Error(`${publishedName(route)} is not published`)
    return operation
  }

  /** That what is published is the schema that the table names: by its id where it has one there, else by its shape. */
  function expectSchema(published: Schema, name: string): void {
    const ours = schemaOf(name)
    expect(ours, `@vedette/shared exports ${name}`).toBeDefined()
    const id = published.$ref?.replace('#/components/schemas/', '')
    expect(id ?? ours?.$id).toBe(ours?.$id)
    expect(shapeOf(id === undefined ? published : components[id])).toEqual(shapeOf(ours))
  }

  /** A schema itself, where a name stands for it. */
  const referred = (schema: Schema | undefined): Schema | undefined =>
    schema?.$ref === undefined ? schema : components[schema.$ref.replace('#/components/schemas/', '')]

  /** The bodies of success that have something in them. */
  const answersOf = ({ responses }: Operation): Schema[] =>
    Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, { content }]): Schema[] => [content?.['application/json']?.schema ?? []].flat())
      .filter((schema) => {
        const { type, properties = {} } = referred(schema) ?? {}
        return type !== 'null' && !(type === 'object' && Object.keys(properties).length === 0)
      })

  test('has each published route once, and no other', () => {
    expect(operations.size).toBeGreaterThan(30)
    expect(calls.map(([, route]) => publishedName(route)).toSorted()).toEqual([...operations.keys()].toSorted())
  })

  describe.each(calls)('%s', (_name, route) => {
    const parametersIn = (location: string): Parameter[] =>
      (operationOf(route).parameters ?? [])
        .map((one) => ('$ref' in one ? (namedParameters[one.$ref.split('/').at(-1) ?? ''] as Parameter) : one))
        .filter((parameter) => parameter.in === location)

    test('names the parameters of the path as they are published', () => {
      const ours = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
      expect(parametersIn('path').map(({ name }) => name)).toEqual(ours)
    })

    test('takes the query that is published', () => {
      const schema = route.query === undefined ? undefined : schemaOf(route.query)
      const ours = Object.entries(schema?.properties ?? {}).map(([name, value]) => ({
        name,
        required: schema?.required?.includes(name) ?? false,
        shape: shapeOf(value),
      }))
      const published = parametersIn('query').map(({ name, required = false, schema }) => ({
        name,
        required,
        shape: shapeOf(schema),
      }))
      expect(published).toEqual(ours)
    })

    test('takes the body that is published', () => {
      const published = operationOf(route).requestBody?.content['application/json'].schema
      expect(published !== undefined).toBe(route.body !== undefined)
      if (published && route.body) expectSchema(published, route.body)
    })

    test('gives the answer that is published', () => {
      const published = answersOf(operationOf(route))
      const ours = [route.answer ?? []].flat()
      expect(published.length > 0, 'has an answer').toBe(ours.length > 0)
      // Two statuses may answer alike; what is answered is one of ours, and each of ours is answered.
      const ids = published.map(({ $ref }) => $ref?.replace('#/components/schemas/', ''))
      expect(new Set(ids)).toEqual(new Set(ours.map((name) => schemaOf(name)?.$id)))
      for (const name of ours) expectSchema(published[ids.indexOf(schemaOf(name)?.$id)] as Schema, name)
    })

    test('states whether the route is open, is repeatable and takes a secret', () => {
      const { security, requestBody } = operationOf(route)
      expect(route.open === true).toBe(security?.length === 0)
      expect(route.repeatable === true).toBe(parametersIn('header').some(({ name }) => name.toLowerCase() === 'idempotency-key'))
      const fields = Object.keys(referred(requestBody?.content['application/json'].schema)?.properties ?? {})
      const hasSecretField = fields.some((name) => /password|^code$|_code$/.test(name))
      // The password of a page is that of its visitors.
      expect(route.secret === true).toBe(hasSecretField && !route.open && !route.path.startsWith('/v1/status-pages'))
    })
  })

  test('a list is called list, and nothing else is', () => {
    for (const [name, route] of calls) {
      const isPaged = [route.answer ?? []].flat().some((answer) => 'total' in (schemaOf(answer)?.properties ?? {}))
      expect(name.endsWith('.list'), name).toBe(isPaged)
    }
  })
})
