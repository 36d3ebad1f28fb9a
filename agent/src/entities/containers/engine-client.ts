import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Clock } from '../../process/clock.ts'

/** An engine responds in milliseconds; a push must not wait for one that hangs. */
const ANSWER_LIMIT_MS = 3_000
/** A container's labels and mounts may take some kilobytes: enough for thousands of containers. */
const MAX_ANSWER_BYTES = 16 * 1_048_576
/** Far above any event: its labels are part of it. */
const MAX_LINE_BYTES = 262_144

export interface EngineAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

interface Limits {
  timeoutMs?: number
  maxBytes?: number
  /** A longer answer is cut, instead of being an error. */
  isCut?: boolean
}

/** GET requests to the API of Docker or Podman. `address`: path of the socket, or `tcp://host:port`. */
export class EngineClient {
  readonly #clock: Clock
  readonly #target: { socketPath: string } | { host: string; port: number }

  constructor(clock: Clock, address: string) {
    this.#clock = clock
    const url = address.startsWith('tcp://') ? new URL(address) : undefined
    this.#target = url ? { host: url.hostname.replaceAll(/[[\]]/g, ''), port: Number(url.port) } : { socketPath: address }
  }

  /** Rejects for every status but 200. */
  async getJson(path: string, limits: Limits = {}): Promise<{ json: unknown; headers: IncomingHttpHeaders }> {
    const { body, headers } = await this.get(path, limits)
    try {
      return { json: JSON.parse(body.toString('utf8')), headers }
    } catch {
      throw new Error(`GET ${nameOf(path)}: the answer is no JSON`)
    }
  }

  /** Rejects for every status but 200. The time limit covers the whole exchange. */
  get(
    path: string,
    { timeoutMs = ANSWER_LIMIT_MS, maxBytes = MAX_ANSWER_BYTES, isCut = false }: Limits = {},
  ): Promise<EngineAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<EngineAnswer>()
    const request = this.#open(path, reject, (incoming) => {
      const pieces: Buffer[] = []
      let length = 0
      const finish = () => resolve({ status: 200, headers: incoming.headers, body: Buffer.concat(pieces) })
      incoming.on('data', (piece: Buffer) => {
        length += piece.length
        if (length <= maxBytes) pieces.push(piece)
        else if (isCut) {
          pieces.push(piece.subarray(0, piece.length - (length - maxBytes)))
          finish()
          incoming.destroy()
        } else incoming.destroy(new Error(`GET ${nameOf(path)}: the answer has more than ${maxBytes / 1_048_576} MiB`))
      })
      incoming.on('end', finish)
    })
    const cancel = this.#clock.after(timeoutMs, () => {
      reject(noAnswer(path, timeoutMs))
      request.destroy()
    })
    promise.then(cancel, cancel)
    return promise
  }

  /**
   * Reads an endless answer line by line. `onEnd` is called once, with the reason; `onOpen` when the answer has begun. The returned
   * function ends the stream.
   */
  stream(path: string, on: { open: () => void; line: (line: string) => void; end: (error: Error) => void }): () => void {
    let isEnded = false
    const end = (error: Error) => {
      if (isEnded) return
      isEnded = true
      cancel()
      request.destroy()
      on.end(error)
    }
    const request = this.#open(path, end, (incoming) => {
      cancel()
      on.open()
      let rest = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (piece: string) => {
        const lines = (rest + piece).split('\n')
        rest = lines.pop() ?? ''
        if (rest.length > MAX_LINE_BYTES)
          return end(new Error(`GET ${nameOf(path)}: a line has more than ${MAX_LINE_BYTES} bytes`))
        for (const line of lines) if (!isEnded && line.trim() !== '') on.line(line)
      })
      incoming.on('end', () => end(new Error(`GET ${nameOf(path)}: the engine ended the stream`)))
    })
    const cancel = this.#clock.after(ANSWER_LIMIT_MS, () => end(noAnswer(path, ANSWER_LIMIT_MS)))
    return () => {
      isEnded = true
      cancel()
      request.destroy()
    }
  }

  #open(path: string, fail: (error: Error) => void, read: (incoming: IncomingMessage) => void): ClientRequest {
    const http = process.getBuiltinModule('node:http')
    // A connection of its own, which is closed afterwards: calls are rare.
    const request = http.request({ ...this.#target, path, headers: { host: 'localhost' }, agent: false })
    request.on('error', fail)
    request.on('response', (incoming) => {
      incoming.on('error', fail)
      if (incoming.statusCode === 200) return read(incoming)
      fail(new EngineRefusal(`GET ${nameOf(path)}: status ${incoming.statusCode}`, incoming.statusCode ?? 0))
      incoming.destroy()
    })
    // An answer that breaks off emits no "end". After an error or an end this has no effect.
    request.on('close', () => fail(new Error(`GET ${nameOf(path)}: the engine closed the connection`)))
    request.end()
    return request
  }
}

/** The engine, or a proxy before it, answered with another status than 200. */
export class EngineRefusal extends Error {
  readonly status: number
  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

const noAnswer = (path: string, limitMs: number): Error =>
  new Error(`GET ${nameOf(path)}: no complete answer within ${limitMs / 1000} s`)

/** Ids and queries would make each error another one, which is logged again. */
const nameOf = (path: string): string => path.replace(/\?.*/, '').replaceAll(/[0-9a-f]{64}/g, ':id')
