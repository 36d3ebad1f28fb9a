import { Agent, request } from 'node:http'

export interface Answer {
  status: number
  /** What it says where it is JSON. */
  body:
    | { accepted?: number; duplicates?: number; rejected?: unknown[]; error?: { code?: unknown; message?: unknown } }
    | undefined
  hasLimits: boolean
}

const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
/** As an agent does: then it does not know. */
const TIMEOUT_MS = 15_000

/** Connections that are kept, to a backend that may be gone at any moment. */
export class Sender {
  readonly #connections = new Agent({ keepAlive: true, maxSockets: 200 })
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  /** Undefined where no whole answer came: nobody knows what became of it. */
  post(path: string, token: string, body: string): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      const nothing = () => resolve(undefined)
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'x-api-key': token }
      const options = { host: '127.0.0.1', port: this.#port, method: 'POST', path, headers, agent: this.#connections }
      const sent = request({ ...options, timeout: TIMEOUT_MS }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
        response.once('error', nothing).once('aborted', nothing)
        response.once('end', () => {
          const hasLimits = LIMIT_HEADERS.every((name) => response.headers[name] !== undefined)
          resolve({ status: response.statusCode ?? 0, body: parse(text), hasLimits })
        })
      })
      sent.once('timeout', () => sent.destroy()).once('error', nothing)
      sent.end(body)
    })
  }

  close(): void {
    this.#connections.destroy()
  }
}

function parse(text: string): Answer['body'] {
  try {
    return JSON.parse(text) as Answer['body']
  } catch {
    return undefined
  }
}
