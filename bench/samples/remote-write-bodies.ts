import { DAY_MS } from '../../shared/src/index.ts'
import type { SampleColumns } from '../../shared/src/hosts/metrics/block/index.ts'
import { cut, lifeColumns } from './host-samples.ts'
import { compress, toWriteRequest } from './remote-write.ts'

const SAMPLES = 6
const VARIANTS = 60
const STEP_MS = 10_000
const PUSH_MS = SAMPLES * STEP_MS

const VALUE_BYTES = 8
const INSTANT_BYTES = 6
/** From the start of a sample to its value, and to its instant. */
const VALUE_AT = 3
const INSTANT_AT = 12

/**
 * Remote writes of one host after the other: six samples of so many fields, a minute later with each. Written once for each host and
 * then changed in place and compressed: the cores belong to what is measured.
 *
 * All within one day, which VictoriaMetrics keeps an index for: it opens a new one once in 86,400 s, not in each run.
 */
export function createWrites(hosts: number, fieldCount: number): (host: number) => Buffer {
  const nowMs = Date.now()
  const startMs = Math.max(Math.floor(nowMs / DAY_MS) * DAY_MS, nowMs - DAY_MS / 6)
  const life = lifeColumns(1, startMs, SAMPLES * VARIANTS, fieldCount)
  const variants = Array.from({ length: VARIANTS }, (_, variant) => {
    const columns = cut(life, variant * SAMPLES, (variant + 1) * SAMPLES)
    return { ...columns, atMs: columns.atMs.map((_at, index) => startMs + index * STEP_MS) }
  })
  const [first] = variants as [SampleColumns]
  const find = (bytes: Buffer) => findSamples(bytes, startMs, SAMPLES * fieldCount)
  const samplesAt = find(toWriteRequest('bench-0', first))
  const values = variants.map((columns) => valuesOf(toWriteRequest('bench-0', columns), samplesAt))
  const all = Array.from({ length: hosts }, (): PushedSample | undefined => undefined)
  return (host) => {
    const one = (all[host] ??= madeFor(host))
    one.sent += 1
    fill(one.bytes, one.samplesAt, values[(one.sent + host * 7) % VARIANTS] as Buffer, startMs + one.sent * PUSH_MS)
    return compress(one.bytes)
  }

  function madeFor(host: number): PushedSample {
    const bytes = toWriteRequest(`bench-${host}`, first)
    return { bytes, samplesAt: find(bytes), sent: 0 }
  }
}

interface PushedSample {
  bytes: Buffer
  samplesAt: Int32Array
  /** Writes so far. */
  sent: number
}

/** Where the samples begin, by their first instant and the tags before it. */
function findSamples(body: Buffer, startMs: number, count: number): Int32Array {
  const found: number[] = []
  const first = instantOf(startMs)
  for (let at = body.indexOf(first); at >= 0; at = body.indexOf(first, at + 1)) {
    const start = at - INSTANT_AT
    for (let index = 0; index < SAMPLES; index += 1) found.push(start + index * (INSTANT_AT + INSTANT_BYTES))
  }
  if (found.length !== count) throw new Error(`${found.length} samples in a remote write`)
  return Int32Array.from(found)
}

function valuesOf(body: Buffer, samplesAt: Int32Array): Buffer {
  return Buffer.concat([...samplesAt].map((at) => body.subarray(at + VALUE_AT, at + VALUE_AT + VALUE_BYTES)))
}

function fill(bytes: Buffer, samplesAt: Int32Array, values: Buffer, atMs: number): void {
  const instants = Array.from({ length: SAMPLES }, (_, index) => instantOf(atMs + index * STEP_MS))
  for (let index = 0; index < samplesAt.length; index += 1) {
    const at = samplesAt[index] as number
    values.copy(bytes, at + VALUE_AT, index * VALUE_BYTES, (index + 1) * VALUE_BYTES)
    bytes.set(instants[index % SAMPLES] as Buffer, at + INSTANT_AT)
  }
}

/** As a varint: of six bytes from 2004 to 2109. */
function instantOf(atMs: number): Buffer {
  const bytes = Buffer.alloc(INSTANT_BYTES)
  let rest = atMs
  for (let at = 0; at < INSTANT_BYTES; at += 1) {
    bytes[at] = (rest % 128) | (at < INSTANT_BYTES - 1 ? 128 : 0)
    rest = Math.floor(rest / 128)
  }
  return bytes
}
