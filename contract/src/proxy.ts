import { posix } from 'node:path'
import type { getHttpOperationsFromSpec } from '@stoplight/prism-http'

/** A violation of the API description in a request or its response, as prism reports it. */
export interface Violation {
  location: string[]
  message: string
  severity?: string
  code?: string | number
}

export interface Proxy {
  url: string
  close(): Promise<void>
}

/**
 * Starts prism as a proxy of `upstream`. It forwards everything and reports violations of the description in a header. Prism takes
 * about a second to load, so it is loaded here and not by each test process that could use it.
 */
export async function startProxy(description: object, upstream: string): Promise<Proxy> {
  const operations = await operationsOf(description)
  const { createServer } = await import('@stoplight/prism-http-server')
  const server = createServer(operations, {
    cors: false,
    components: { logger: silent as never },
    config: {
      isProxy: true,
      upstream: new URL(upstream),
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      // Violations are forwarded: tests send invalid requests on purpose.
      errors: false,
      mock: { dynamic: false },
      upstreamProxy: undefined,
    },
  })
  const url = await server.listen(0, '127.0.0.1')
  return { url, close: () => server.close() }
}

type Operations = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>
let last: { text: string; operations: Promise<Operations> } | undefined

/** The backends of one test file have the same description, and reading it takes longer than most tests. */
function operationsOf(description: object): Promise<Operations> {
  const text = JSON.stringify(description)
  // Of a copy: prism resolves references in place.
  if (last?.text !== text) last = { text, operations: readOperations(JSON.parse(text) as object) }
  return last.operations
}

async function readOperations(description: object): Promise<Operations> {
  const prism = await import('@stoplight/prism-http')
  return prism.getHttpOperationsFromSpec(description)
}

const nothing = (): void => undefined
const silent: object = { info: nothing, success: nothing, warn: nothing, error: nothing, debug: nothing, child: () => silent }

/** The violations in the header of a response; undefined if the header was truncated. */
export function readViolations(header: string | string[] = '[]'): Violation[] | undefined {
  const text = String(header)
  return text.startsWith('[') ? (JSON.parse(text) as Violation[]) : undefined
}

export interface ProxiedRequest {
  method: string
  /** Path and query. */
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer | undefined
}

/**
 * Why prism cannot pass on exactly this request, undefined where it can: it parses path, query and body, and sends what it made
 * of them; it reads some headers as words to itself, and breaks on some that are malformed.
 */
export function whyNotCarried({ method, url, headers, body }: ProxiedRequest): string | undefined {
  if (!METHODS.has(method)) return 'method'
  if (url !== asPassedOn(url)) return 'url'
  if (Object.entries(headers).some(([name, value]) => OWN_HEADERS.has(name) || !PLAIN.test(value))) return 'header'
  if (!['application/json', 'text/plain', undefined].includes(headers['content-type'])) return 'content type'
  if (headers['content-encoding'] !== undefined) return 'content encoding'
  if (body === undefined || body.length === 0) return undefined
  if (method === 'GET') return 'body of a GET'
  if (body.length > 10_000_000) return 'size'
  const passedOn = headers['content-type'] === 'application/json' ? compact(body.toString()) : body.toString()
  return Buffer.from(passedOn).equals(Buffer.from(body as string)) ? undefined : 'body'
}

/** HEAD is none of them: prism parses the body that its answer does not have. */
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const OWN_HEADERS = new Set(['connection', 'content-length', 'expect', 'host', 'prefer', 'te', 'transfer-encoding', 'upgrade'])
/** What a header may hold without being changed on its way. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/

function asPassedOn(url: string): string | undefined {
  try {
    const { pathname, searchParams } = new URL(url, 'http://example.com')
    // It breaks on parameters of a path that it cannot decode.
    decodeURIComponent(pathname)
    const query = new URLSearchParams()
    for (const name of new Set(searchParams.keys())) for (const value of searchParams.getAll(name)) query.append(name, value)
    return `${posix.join('/', pathname)}${query.size > 0 ? `?${query.toString()}` : ''}`
  } catch {
    return undefined
  }
}

/** What prism writes of JSON that it has read: a text without its quotes, and no body for what is false by itself. */
function compact(text: string): string {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === 'string') return value
    return value ? JSON.stringify(value) : ''
  } catch {
    return ''
  }
}
