/** The part of an OpenAPI 3.1 document that is read and written here. */
export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}

export interface Operation {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security?: Record<string, []>[]
  parameters?: ({ in: string; name: string; description?: string } | Reference)[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response | Reference>
}

export interface Reference {
  $ref: string
}

export interface Response {
  description: string
  headers?: Record<string, Reference>
  content?: Record<string, Media>
}

export interface Media {
  schema: object
  examples?: Record<string, { value: unknown }>
}

/** An error response that routes share. */
export interface Refusal {
  /** Name of the component. */
  name: string
  description: string
  /** Headers in addition to those of every response. */
  headers: Readonly<Record<string, string>>
  example: unknown
}

/** The texts that the schemas of the routes do not contain. */
export interface OpenApiTexts {
  info: { title: string; description: string; license: { name: string; identifier: string }; contact: { name: string } }
  tags: readonly { name: string; description: string }[]
  securitySchemes: Readonly<Record<string, object>>
  /** Components that answers and requests refer to. */
  headers: Readonly<Record<string, object>>
  parameters: Readonly<Record<string, object>>
  refusals: Readonly<Record<number, Refusal>>
  /** Of a body or an answer, by the name of its schema, each with a title. */
  examplesOf: (name: string) => Readonly<Record<string, unknown>>
}

export const referTo = (kind: string, name: string): Reference => ({ $ref: `#/components/${kind}/${name}` })
