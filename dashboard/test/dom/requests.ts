import type { TestBackend } from '../../../backend/test/harness.ts'

export interface SentRequest {
  method(): string
  url(): string
  postDataJSON(): unknown
}

export interface Route {
  request(): SentRequest
  continue(): Promise<void>
  /** The answer of the backend is made, and can get lost. */
  fetch(): Promise<void>
  fulfill(answer: { status: number; headers?: Record<string, string>; json?: unknown }): Promise<void>
  abort(): Promise<void>
}
export type Handler = (route: Route) => unknown
export interface Interception {
  pattern: string
  handler: Handler
  /** How many requests it still takes. */
  left: number
}

type Fetch = typeof globalThis.fetch

/** Answers the page by the backend of the test, or by what the test put in between. */
export function fetchFor(
  backend: TestBackend,
  interceptions: () => Interception[],
  onRequest: (request: SentRequest) => void,
): Fetch {
  const send = async (url: URL, init: RequestInit): Promise<Response> => {
    const request = new Request(url, init)
    const payload = Buffer.from(await request.arrayBuffer())
    const options: object = {
      method: request.method,
      url: url.pathname + url.search,
      headers: Object.fromEntries(request.headers),
      ...(payload.length > 0 && { payload }),
    }
    const { statusCode, rawPayload, headers } = await backend.vedette.app.inject(options)
    const content = rawPayload.length > 0 ? new Uint8Array(rawPayload) : null
    return new Response(content, { status: statusCode, headers: headers as Record<string, string> })
  }
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input, 'http://127.0.0.1')
    const request: SentRequest = {
      method: () => init.method ?? 'GET',
      url: () => url.href,
      postDataJSON: () => (typeof init.body === 'string' ? JSON.parse(init.body) : null),
    }
    onRequest(request)
    const taken = interceptions().find(({ pattern, left }) => left > 0 && toPattern(pattern).test(url.href))
    // The stream of events stays open; without events the page polls.
    const answer = url.pathname === '/v1/events' ? new Promise<never>(() => undefined) : undefined
    if (taken) taken.left -= 1
    const answered = answer ?? (taken ? intercepted(taken.handler, request, () => send(url, init)) : send(url, init))
    return Promise.race([answered, abortionOf(init.signal)])
  }
}

function intercepted(handler: Handler, request: SentRequest, send: () => Promise<Response>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const route: Route = {
      request: () => request,
      continue: () => send().then(resolve, reject),
      fetch: () => send().then(() => undefined),
      // oxlint-disable-next-line typescript/require-await -- as Playwright's
      fulfill: async ({ status, headers = {}, json }) =>
        resolve(new Response(json === undefined ? null : JSON.stringify(json), { status, headers })),
      // oxlint-disable-next-line typescript/require-await
      abort: async () => reject(new TypeError('Failed to fetch')),
    }
    void Promise.resolve(handler(route)).catch(reject)
  })
}

const toPattern = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\?]/g, '\\$&')
      .replaceAll('**', '\0')
      .replaceAll('*', '[^/]*')
      .replaceAll('\0', '.*')}$`,
  )

function abortionOf(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(new DOMException('The request was aborted.', 'AbortError'))
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
