import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { ERROR_STATUS } from '@vedette/shared'
import { expect } from 'vitest'
import type { Answer } from '../harness.ts'
import type { Schema } from './schema-arbitrary.ts'

interface Reference {
  $ref: string
}

interface Parameter {
  in: string
  name: string
  schema: Schema
}

interface Content {
  'application/json'?: { schema: Schema }
}

interface Operation {
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
  method: string
  path: string
  parameters: Parameter[]
  body: Schema | undefined
  /** Check of the answer's body by status; undefined where it has none. */
  answers: ReadonlyMap<number, ValidateFunction | undefined>
}

/** Every operation that `/openapi.json` publishes. */
export function publishedRoutes({ paths, components }: Description): PublishedRoute[] {
  const follow = <T extends object>(kind: 'parameters' | 'responses', part: T | Reference): T =>
    '$ref' in part ? (components[kind][part.$ref.slice(part.$ref.lastIndexOf('/') + 1)] as T) : part
  const ajv = new Ajv({ strict: false, allErrors: true })
  // The package is CommonJS; its default export is the function itself at run time.
  ;(addFormats as unknown as (ajv: Ajv) => Ajv)(ajv)
  const check = (content: Content | undefined): ValidateFunction | undefined => {
    const schema = content?.['application/json']?.schema
    return schema && ajv.compile({ ...schema, components })
  }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody, responses }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      parameters: parameters.map((parameter) => follow('parameters', parameter)),
      body: requestBody?.content['application/json']?.schema,
      answers: new Map(
        Object.entries(responses).map(([status, response]) => [Number(status), check(follow('responses', response).content)]),
      ),
    })),
  )
}

const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/**
 * What every answer keeps, whatever was asked: no fault of ours, a status that the route declares, a body as it is declared,
 * the envelope with the id of the header, the three limits.
 */
export function expectPromises(answer: Answer, route?: PublishedRoute): void {
  const { status, headers, body } = answer
  expect(status, JSON.stringify(body)).toBeLessThan(500)
  expect(status).toBeGreaterThanOrEqual(200)
  for (const name of LIMIT_HEADERS) expect(String(headers[name]), name).toMatch(/^\d+$/)
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  // HEAD has no body.
  if (status >= 400 && body !== undefined) expectEnvelope(answer)
  if (!route) return
  expect([...route.answers.keys()], `${route.name} declares ${status}`).toContain(status)
  const validate = route.answers.get(status)
  if (validate) expect(validate(body), `${route.name} ${status}: ${JSON.stringify(validate.errors)}`).toBe(true)
  else expect(body).toBeUndefined()
}

function expectEnvelope({ status, headers, body }: Answer): void {
  expect(Object.keys(body)).toEqual(['error'])
  const { code, message, details, request_id, ...rest } = body.error
  expect(ERROR_STATUS[code as keyof typeof ERROR_STATUS], code).toBe(status)
  expect(message).toMatch(/\w/)
  expect(request_id).toBe(headers['x-request-id'])
  expect(rest).toEqual({})
  expect(details !== undefined, 'details come with validation_error only').toBe(code === 'validation_error')
  expect(JSON.stringify(body).length, 'a refusal is short, however long what it refuses').toBeLessThan(10_000)
}
