import { call } from '../lib/queries.ts'
import { sleep } from '../lib/sleep.ts'
import { compress, inField, MAX_SAMPLE_BYTES, toLabel, writeSample } from '../samples/remote-write.ts'

export interface Receiver {
  url: string
  headers: Record<string, string>
}

/** One sample of one series, whose labels are written once. */
export interface SampleOf {
  labels: Buffer
  value: number
  atMs: number
}

/** Labels as a request has them: in order of their names. */
export const labelsOf = (labels: Record<string, string>): Buffer =>
  Buffer.concat(
    Object.entries(labels)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(toLabel),
  )

/** A remote write, compressed. */
export function bodyOf(samples: readonly SampleOf[]): Buffer {
  const sample = Buffer.alloc(MAX_SAMPLE_BYTES)
  return compress(
    Buffer.concat(
      samples.map(({ labels, value, atMs }) =>
        inField(1, Buffer.concat([labels, sample.subarray(0, writeSample(sample, 0, value, atMs))])),
      ),
    ),
  )
}

const HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
}

/** How often a receiver said that it is busy; senders wait and try again. */
export const busy = { answers: 0 }

/** Milliseconds until the success. */
export async function send({ url, headers }: Receiver, body: Buffer): Promise<number> {
  const start = performance.now()
  for (;;)
    try {
      await call(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body })
      return performance.now() - start
    } catch (error) {
      if (!(error as Error).message.includes(': 503 ')) throw error
      busy.answers += 1
      await sleep(200)
    }
}

/** Sends all, so many at once, in order. */
export async function sendAll(receiver: Receiver, bodies: readonly Buffer[], atOnce: number): Promise<void> {
  const left = bodies.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const body of left) await send(receiver, body)
    }),
  )
}

/** One request each so many ms, whether or not the earlier ones are answered; the ms of each. */
export async function sendPaced(receiver: Receiver, bodies: readonly Buffer[], everyMs: number): Promise<number[]> {
  const start = performance.now()
  return Promise.all(
    bodies.map(async (body, index) => {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, start + index * everyMs - performance.now())))
      return send(receiver, body)
    }),
  )
}

export const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
