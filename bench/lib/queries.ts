import { Agent, request } from 'node:http'
import { median } from './processes.ts'

const agent = new Agent({ keepAlive: true })

export interface Call {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Reads the answer to its end; throws when it is no success. */
export function call(url: string, { method = 'GET', headers = {}, body }: Call = {}): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const sent = request(url, { method, headers, agent }, (answer) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => void chunks.push(chunk))
    answer.once('error', reject)
    answer.once('end', () => {
      const text = Buffer.concat(chunks).toString('latin1')
      if ((answer.statusCode ?? 500) < 300) resolve(text)
      else reject(new Error(`${method} ${url}: ${answer.statusCode} ${text.slice(0, 300)}`))
    })
  })
  sent.once('error', reject)
  sent.end(body)
  return promise
}

/** Closes the kept connections. */
export const endCalls = (): void => agent.destroy()

export interface Medians {
  ms: number
  /** Of the peer. */
  victoriaMs: number | undefined
}

export type Query = (index: number) => Promise<unknown>

/** Runs both queries in turns; the first rounds do not count. */
export async function queryInTurns(
  ours: Query,
  theirs: Query | undefined,
  { rounds, warmUp }: { rounds: number; warmUp: number },
): Promise<Medians> {
  const times: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] }
  const take = async (list: number[], query: Query, index: number) => {
    const start = performance.now()
    await query(index)
    if (index >= warmUp) list.push(performance.now() - start)
  }
  for (let index = 0; index < rounds + warmUp; index += 1) {
    await take(times.ours, ours, index)
    if (theirs) await take(times.theirs, theirs, index)
  }
  return { ms: median(times.ours), victoriaMs: theirs ? median(times.theirs) : undefined }
}
