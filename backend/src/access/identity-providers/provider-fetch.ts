import type { OutboundRequest, OutboundResponse } from '../../notifying/notifications/index.ts'

/** Name resolution, connection, TLS and response of one request together; and how much of a response is read. */
export const PROVIDER_LIMITS = { limitMs: 10_000, maxResponseBytes: 262_144, maxRedirects: 0 }

interface FetchOptions {
  method?: string
  headers?: Headers | Record<string, string>
  body?: unknown
}

/** `fetch` of the standard, as the OpenID libraries call it. */
export type ProviderFetch = (url: string, options?: FetchOptions) => Promise<Response>

/** Responses that may not have a body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * A `fetch` whose connections are guarded: addresses as for channels, limits of time and size, no redirects. Rejects with the
 * DeliveryError of `send`.
 */
export function createProviderFetch(send: (request: OutboundRequest) => Promise<OutboundResponse>): ProviderFetch {
  return async (url, { method = 'GET', headers, body } = {}) => {
    const response = await send({
      url,
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      // Forms and texts are all that the libraries send.
      body: body instanceof URLSearchParams || typeof body === 'string' ? String(body) : '',
    })
    const { status, text } = response
    const type = response.headers['content-type']
    return new Response(EMPTY.has(status) ? null : text, {
      status,
      headers: typeof type === 'string' ? { 'content-type': type } : {},
    })
  }
}
