import { readFileSync } from 'node:fs'
import { CHANGE_SET_TIMEOUT_MS, type ErrorDetail } from '@vedette/shared'
import { pause } from '../../platform/time/clock.ts'
import { type Call, type CommandContext, type Option, UsageError } from './command.ts'

/** Of every command that sends requests to an installation. */
export const CLIENT_OPTIONS = {
  url: { type: 'string', value: 'URL', help: 'of the installation (default: VEDETTE_URL)' },
  'key-file': { type: 'string', value: 'FILE', help: 'file with an API key (default: VEDETTE_API_KEY_FILE)' },
} as const satisfies Record<string, Option>

/** What an installation refuses. */
export class Refused extends Error {
  readonly details: readonly ErrorDetail[]

  constructor(message: string, details: readonly ErrorDetail[]) {
    super(message)
    this.details = details
  }
}

export type SendRequest = <Answer>(method: 'GET' | 'POST', path: string, body?: unknown) => Promise<Answer>

const REQUEST_MS = CHANGE_SET_TIMEOUT_MS
/** How often a request is sent again that came too early, and the longest wait before it. */
const MAX_WAITS = 5
const MAX_WAIT_MS = 120_000

/** Sends requests to the installation that the call names. Throws UsageError. */
export function createRequest({ options }: Call, { environment }: CommandContext): SendRequest {
  const url = options['url'] ?? environment['VEDETTE_URL']
  const keyFile = options['key-file'] ?? environment['VEDETTE_API_KEY_FILE']
  if (typeof url !== 'string') throw new UsageError('--url or VEDETTE_URL must say where the installation is')
  if (typeof keyFile !== 'string') throw new UsageError('--key-file or VEDETTE_API_KEY_FILE must name a file with an API key')
  const base = URL.parse(url)
  if (!base || !/^https?:$/.test(base.protocol)) throw new UsageError(`${url} is no http:// or https:// address`)
  const key = readKey(keyFile)
  const sendOnce = (method: 'GET' | 'POST', path: string, body?: unknown): Promise<Response> =>
    fetch(new URL(path, base), {
      method,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A key must not follow to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_MS),
    }).catch((error: Error) => {
      const cause = error.cause instanceof Error ? error.cause.message : error.message
      throw new Error(`${base.origin} does not answer: ${cause}`, { cause: error })
    })
  return async <Answer>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> => {
    let response = await sendOnce(method, path, body)
    // Nothing was done then: a command that sends many requests takes its turn.
    for (let waits = 0; response.status === 429 && waits < MAX_WAITS; waits += 1) {
      await response.body?.cancel()
      await pause(Math.min(MAX_WAIT_MS, Number(response.headers.get('retry-after') ?? 1) * 1000))
      response = await sendOnce(method, path, body)
    }
    const text = await response.text()
    if (response.ok) return JSON.parse(text) as Answer
    throw refusalOf(response.status, text)
  }
}

const PAGE = 100

/** All items of a list of the API. */
export async function readAll<Item>(send: SendRequest, path: string, name: string): Promise<Item[]> {
  const items: Item[] = []
  const more = path.includes('?') ? '&' : '?'
  for (let page = 1; ; page += 1) {
    const answer = await send<Record<string, unknown> & { total: number }>('GET', `${path}${more}page=${page}&limit=${PAGE}`)
    const found = answer[name] as Item[]
    items.push(...found)
    if (found.length < PAGE || items.length >= answer.total) return items
  }
}

function refusalOf(status: number, text: string): Error {
  try {
    const { error } = JSON.parse(text) as { error: { message: string; details?: ErrorDetail[] } }
    return new Refused(error.message, error.details ?? [])
  } catch {
    return new Error(`The installation answered ${status}.`)
  }
}

/** The text of a file with a secret, without what is around it. Throws UsageError. */
export function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
