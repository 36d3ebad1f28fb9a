import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { ERROR_STATUS } from '@vedette/shared'
import { expect } from 'vitest'
import type { Answer } from '../answer.ts'
import type { Schema } from './schema-arbitrary.ts'

interface Reference {
  $ref: string
}

interface Parameter {
  in: string
  name: string
  schema: Schema
}

type Content = Readonly<Record<string, { schema: Schema }>>

interface Operation {
  operationId: string
  security: Record<string, unknown>[]
  parameters?: (Parameter | Reference)[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content } | Reference>
}

export interface Description {
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    parameters: Record<string, Parameter>
    responses: Record<string, { content?: Content }>
  }
}

/** One operation of the published description. */
export interface PublishedRoute {
  /** `GET /v1/servers/{id}` */
  name: string
  operationId: string
  method: string
  path: string
  /** Kinds of credentials, of which it takes any one. */
  security: string[]
  parameters: Parameter[]
  body: Schema | undefined
  /** By status, the checks of the answer's body by media type; none where it has no body. */
  answers: ReadonlyMap<number, ReadonlyMap<string, ValidateFunction>>
  /** Name of the schema of the answer's body by status. */
  shown: ReadonlyMap<number, string | undefined>
}

const JSON_TYPE = 'application/json'
/** An empty text is no body. */
const TEXT: object = { not: { type: ['object', 'array', 'number', 'boolean'] } }

const published = new WeakMap<Description, PublishedRoute[]>()

/** Every operation that `/openapi.json` publishes; of one document the same each time. */
export function publishedRoutes(description: Description): PublishedRoute[] {
  const routes = published.get(description) ?? readRoutes(description)
  published.set(description, routes)
  return routes
}

function readRoutes({ paths, components }: Description): PublishedRoute[] {
  const follow = <T extends object>(kind: 'parameters' | 'responses', part: T | Reference): T =>
    '$ref' in part ? (components[kind][part.$ref.slice(part.$ref.lastIndexOf('/') + 1)] as T) : part
  const ajv = new Ajv({ strict: false, allErrors: true })
  // The package is CommonJS; its default export is the function itself at run time.
  ;(addFormats as unknown as (ajv: Ajv) => Ajv)(ajv)
  // Read once, not with each of those that refer to it.
  ajv.addSchema({ components }, 'api')
  const compile = (schema: Schema) =>
    ajv.compile(schema.$ref === undefined ? { ...schema, components } : { $ref: `api${schema.$ref}` })
  // Nearly all refusals have one schema, and compiling is slow.
  const checks = new Map<string, ValidateFunction>()
  const checksOf = (content: Content = {}) =>
    new Map(Object.entries(content).map(([type, { schema }]) => [type, check(type === JSON_TYPE ? schema : TEXT)]))
  const check = (schema: object): ValidateFunction => {
    const name = JSON.stringify(schema)
    const validator = checks.get(name) ?? whenFirstUsed(() => compile(schema))
    checks.set(name, validator)
    return validator
  }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, security, parameters = [], requestBody, responses }]) => ({
      operationId,
      security: security.flatMap((kinds) => Object.keys(kinds)),
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      parameters: parameters.map((parameter) => follow('parameters', parameter)),
      body: requestBody?.content[JSON_TYPE]?.schema,
      answers: new Map(
        Object.entries(responses).map(([status, response]) => [Number(status), checksOf(follow('responses', response).content)]),
      ),
      shown: new Map(
        Object.entries(responses).map(([status, response]) => [Number(status), nameOf(follow('responses', response).content)]),
      ),
    })),
  )
}

function whenFirstUsed(compile: () => ValidateFunction): ValidateFunction {
  let compiled: ValidateFunction | undefined
  const validate = (value: unknown): boolean => {
    compiled ??= compile()
    const isValid = compiled(value)
    validate.errors = compiled.errors
    return isValid
  }
  validate.errors = null as ValidateFunction['errors']
  return validate as ValidateFunction
}

const nameOf = (content: Content | undefined): string | undefined =>
  content?.[JSON_TYPE]?.schema.$ref?.replace('#/components/schemas/', '')

/** The operation that a request is for; a path that is written out goes before one with a parameter. */
export function routeOf(routes: readonly PublishedRoute[], method: string, url: string): PublishedRoute | undefined {
  const path = url.split('?', 1)[0] as string
  const fits = (route: PublishedRoute) =>
    route.method === method && new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
  return routes.filter(fits).sort((one, other) => one.path.split('{').length - other.path.split('{').length)[0]
}

const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/**
 * What every answer keeps, whatever was asked: no fault of ours, a status that the route declares, a body as it is declared,
 * the envelope with the id of the header, the three limits.
 */
export function expectPromises(answer: Answer, route?: PublishedRoute, isFaultless = true): void {
  const { status, headers, body } = answer
  if (isFaultless) expect(status, JSON.stringify(body)).toBeLessThan(500)
  expect(status).toBeGreaterThanOrEqual(200)
  for (const name of LIMIT_HEADERS) expect(String(headers[name]), name).toMatch(/^\d+$/)
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined)
  // HEAD has no body.
  if (status >= 400 && body !== undefined) expectEnvelope(answer)
  if (!route) return
  expect([...route.answers.keys()], `${route.name} declares ${status}`).toContain(status)
  const checks = route.answers.get(status)
  if (!checks || checks.size === 0) return expect(body).toBeUndefined()
  // HEAD and 304 have the type of no body.
  const type = String(headers['content-type'] ?? JSON_TYPE).replace('; charset=utf-8', '')
  const validate = checks.get(type)
  expect([...checks.keys()], `${route.name} declares ${type}`).toContain(type)
  expect(validate?.(body), `${route.name} ${status}: ${JSON.stringify(validate?.errors)}`).toBe(true)
}

function expectEnvelope({ status, headers, body }: Answer): void {
  expect(Object.keys(body)).toEqual(['error'])
  const { code, message, details, request_id, ...rest } = body.error
  expect(ERROR_STATUS[code as keyof typeof ERROR_STATUS], code).toBe(status)
  expect(message).toMatch(/\w/)
  expect(request_id).toBe(headers['x-request-id'])
  expect(rest).toEqual({})
  if (code === 'validation_error') expect(details).toBeDefined()
  if (details !== undefined) expect(['validation_error', 'conflict']).toContain(code)
  expect(JSON.stringify(body).length, 'a refusal is short, however long what it refuses').toBeLessThan(10_000)
}
