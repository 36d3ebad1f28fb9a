import { type Document, type Media, type Operation, type Refusal, referTo, type Response, type OpenApiTexts } from './document.ts'
import { requireDescriptions } from './require-descriptions.ts'
import type { DescribedRoute } from './route.ts'

/** What follows from a route: names of components, and texts of its own where it has some. */
export interface Traits {
  /** Any one of these credentials; none for an open route. */
  security: readonly string[]
  /** Headers of the request. */
  parameters: readonly string[]
  /** By status, with the text that the component does not have; true where it has it. */
  refusals: ReadonlyMap<number, string | true>
  /** Headers of its own of an answer, by name and component. */
  headersOf(status: number): Readonly<Record<string, string>>
}

/** Headers of every response, by name and component. */
const EVERY_HEADER: Readonly<Record<string, string>> = {
  'X-Request-Id': 'RequestId',
  'X-RateLimit-Limit': 'RateLimitLimit',
  'X-RateLimit-Remaining': 'RateLimitRemaining',
  'X-RateLimit-Reset': 'RateLimitReset',
}

/**
 * Adds the headers, errors and examples of the routes to a document made from schemas. Throws where a text or an example is missing.
 */
export function completeDocument(
  document: Document,
  texts: OpenApiTexts,
  routeOf: (method: string, path: string) => DescribedRoute,
  traitsOf: (route: DescribedRoute) => Traits,
): Document {
  const used = new Set<Refusal>()
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const traits = traitsOf(routeOf(method.toUpperCase(), path))
      completeRequest(operation, texts, traits)
      completeSuccesses(operation, texts, traits)
      addRefusals(operation, texts, traits, used)
    }
  }
  const { headers, parameters } = texts
  const responses = Object.fromEntries([...used].map((refusal) => [refusal.name, toResponse(refusal)]))
  Object.assign(document.components, { headers, parameters, responses })
  requireDescriptions(document, new Set(texts.tags.map(({ name }) => name)))
  return document
}

function completeRequest(operation: Operation, texts: OpenApiTexts, { security, parameters }: Traits): void {
  operation.security = security.map((name) => ({ [name]: [] }))
  // Schemas of headers are for validation; the components describe the same headers for readers.
  const others = (operation.parameters ?? []).filter((parameter) => !('in' in parameter) || parameter.in !== 'header')
  operation.parameters = [...others, ...parameters.map((name) => referTo('parameters', name))]
  addExamples(operation.requestBody?.content, texts)
}

/** At this point the responses are successes only: errors are added below. */
function completeSuccesses(operation: Operation, texts: OpenApiTexts, { headersOf }: Traits): void {
  for (const [status, response] of Object.entries(operation.responses as Record<string, Response>)) {
    response.headers = toReferences({ ...EVERY_HEADER, ...headersOf(Number(status)) })
    addExamples(response.content, texts)
  }
}

function addRefusals(operation: Operation, texts: OpenApiTexts, { refusals, headersOf }: Traits, used: Set<Refusal>): void {
  for (const [status, text] of [...refusals].sort(([one], [other]) => one - other)) {
    const refusal = texts.refusals[status]
    if (!refusal) throw new Error(`${operation.operationId} refuses with ${status}, which has no text`)
    const headers = headersOf(status)
    const isCommon = text === true && Object.keys(headers).length === 0
    if (isCommon) used.add(refusal)
    const description = text === true ? refusal.description : text
    operation.responses[status] = isCommon ? referTo('responses', refusal.name) : toResponse(refusal, description, headers)
  }
}

/** Adds examples to request bodies and successes, whose schemas have names. */
function addExamples(content: Record<string, Media> | undefined, { examplesOf }: OpenApiTexts): void {
  for (const media of Object.values(content ?? {})) {
    const { $ref = '' } = media.schema as { $ref?: string }
    const named = Object.entries(examplesOf($ref.slice($ref.lastIndexOf('/') + 1)))
    media.examples = Object.fromEntries(named.map(([title, value]) => [title, { value }]))
  }
}

function toResponse(refusal: Refusal, description = refusal.description, more: Readonly<Record<string, string>> = {}): Response {
  const examples = { example: { value: refusal.example } }
  return {
    description,
    headers: toReferences({ ...EVERY_HEADER, ...refusal.headers, ...more }),
    content: { 'application/json': { schema: referTo('schemas', 'Error'), examples } },
  }
}

function toReferences(headers: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(headers).map(([name, component]) => [name, referTo('headers', component)]))
}
