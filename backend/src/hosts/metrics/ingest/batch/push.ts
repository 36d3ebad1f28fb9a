/**
 * Turns the body of a push into pieces that are ready to be stored.
 *
 * A body that does not match the published schema is refused as a whole (PushFault, with all faults). A sample with an impossible value or
 * instant is rejected alone. Unknown fields are ignored at every level: an agent may be newer than its backend. Samples themselves are
 * checked while they are converted (`samples.ts`), everything else by a check that is compiled from the schema.
 */
import { isUtf8 } from 'node:buffer'
import { Batch, type BatchState, MAX_BATCH_SPAN_MS, MAX_BATCHES_PER_REQUEST, PushBody } from '@vedette/shared'
import { type BinaryPush, decodeBinaryPush } from '@vedette/shared/metrics/binary-push'
import { compileFields } from './check-schema.ts'
import { type EntityState, toEntities } from './entities.ts'
import { below, Faults, type Fields, isFields, PushFault } from './faults.ts'
import { toState } from './host-state.ts'
import { splitByHour, type PushPiece } from './pieces.ts'
import { type Named, type Slots, SlotValues } from './slot-values.ts'
import type { Rejection, Rejections } from './readings.ts'
import { readBlock, readSamples, type SentSamples } from './samples.ts'
import { BlockError, type LastValue, valueAt } from '@vedette/shared/metrics/block'

export { PushFault }
export type { Named, PushPiece, Slots }

/** Samples before `oldestMs` or after `newestMs` are refused one by one; both instants themselves are accepted. */
export interface PushLimits {
  oldestMs: number
  newestMs: number
}

export interface PushBatch {
  /** Oldest first; none when every sample was refused. */
  pieces: PushPiece[]
  /** Of the accepted samples: what the state is stamped with. Undefined when there is none. */
  newestAtMs: number | undefined
  state: BatchState
  /** Undefined where it says nothing of any. */
  entities: EntityState | undefined
}

export interface RejectedSample extends Rejection {
  batch: number
  index: number
}

/** `accepted + rejected.length` = samples sent; what the store finds to be stored already moves from accepted to duplicates. */
export interface Push {
  batches: PushBatch[]
  accepted: number
  /** In the order of batches and samples. */
  rejected: RejectedSample[]
  /** Over all batches; undefined when no sample was accepted. */
  newestAtMs: number | undefined
  bootId: string | undefined
  /** Not parsed: the caller validates and authorizes it. */
  serverId: string | undefined
  /** What was named and has no slot yet: its values are not in the blocks. */
  withoutSlot: Named[]
}

const checkRequest = compileFields(PushBody.anyOf[1], ['boot_id', 'server_id'])
const checkBatch = compileFields(
  Batch,
  Object.keys(Batch.properties).filter((name) => name !== 'samples' && name !== 'columns'),
)

/** Returns the slots of the server in the request; undefined stands for the server of the token. */
export type SlotsOf = (serverId: string | undefined) => Slots

/**
 * Everything of a push, or PushFault with what is wrong with it: parsed JSON, or the bytes of the binary form. Filesystems and
 * interfaces go into the blocks where `slotsOf` knows them.
 */
export function parsePush(body: unknown, limits: PushLimits, slotsOf: SlotsOf): Push {
  const faults = new Faults()
  const { fields, given } = Buffer.isBuffer(body) ? openBinary(body, faults) : openJson(body, faults)
  const rejected: RejectedSample[] = []
  checkRequest(fields, '', faults)
  const { boot_id: bootId, server_id: serverId } = fields as { boot_id?: string; server_id?: string }
  const tail = new SlotValues(slotsOf(serverId))
  const batches = given.flatMap(({ batch, path, samples }, number) => {
    if (isFields(batch)) return [readBatch(batch, samples, { path, number, limits, rejected, faults, tail })]
    faults.add(path, 'must be an object')
    return []
  })
  faults.throwIfAny()
  const pieces = batches.flatMap((batch) => batch.pieces)
  return {
    batches,
    accepted: pieces.reduce((sum, piece) => sum + piece.count, 0),
    rejected,
    newestAtMs: newestOf(pieces),
    bootId,
    serverId,
    withoutSlot: tail.withoutSlot,
  }
}

/** A body whose batches are found but not read. */
interface Opened {
  fields: Fields
  given: GivenBatch[]
}

interface GivenBatch {
  batch: unknown
  path: string
  /** Where they are not among the batch's fields. */
  samples?: (path: string, faults: Faults) => SentSamples
}

function openJson(body: unknown, faults: Faults): Opened {
  if (!isFields(body)) throw new PushFault([{ path: '', message: 'must be an object' }])
  const { batches } = body
  if (batches === undefined) return { fields: body, given: [{ batch: body, path: '' }] }
  // Samples next to `batches` would be dropped silently.
  if (hasSamples(body)) faults.add('', 'must not have samples or columns in addition to batches')
  return { fields: body, given: checkBatches(batches, faults).map((batch, index) => ({ batch, path: pathOf(index) })) }
}

const pathOf = (batch: number): string => `batches.${batch}`
const hasSamples = (fields: Fields): boolean => fields['samples'] !== undefined || fields['columns'] !== undefined

function checkBatches<T>(batches: T, faults: Faults): T extends readonly unknown[] ? T : unknown[] {
  if (Array.isArray(batches) && batches.length >= 1 && batches.length <= MAX_BATCHES_PER_REQUEST) return batches as never
  faults.add('batches', `must be an array of 1 to ${MAX_BATCHES_PER_REQUEST} batches`)
  return [] as never
}

function openBinary(bytes: Buffer, faults: Faults): Opened {
  const { fields, batches } = decode(bytes)
  return {
    fields: parseFields(fields, '', faults),
    given: checkBatches(batches, faults).map((sent, index) => {
      const batch = parseFields(sent.fields, pathOf(index), faults)
      if (hasSamples(batch)) faults.add(pathOf(index), 'must not have samples or columns in addition to its block')
      return { batch, path: pathOf(index), samples: (path, into) => readBlock(sent, below(path, 'block'), into) }
    }),
  }
}

function decode(bytes: Buffer): BinaryPush {
  try {
    return decodeBinaryPush(bytes)
  } catch (error) {
    if (error instanceof BlockError) throw new PushFault([{ path: '', message: error.message }])
    throw error
  }
}

function parseFields(bytes: Buffer, path: string, faults: Faults): Fields {
  try {
    const fields: unknown = isUtf8(bytes) && JSON.parse(bytes.toString())
    if (isFields(fields)) return fields
  } catch {
    // No JSON.
  }
  faults.add(path, 'must be a JSON object in UTF-8')
  return {}
}

/** What stands around a batch. */
interface BatchContext {
  path: string
  number: number
  limits: PushLimits
  rejected: RejectedSample[]
  faults: Faults
  tail: SlotValues
}

function readBatch(batch: Fields, given: GivenBatch['samples'], around: BatchContext): PushBatch {
  const { path, faults, tail } = around
  const faultsBefore = faults.count
  checkBatch(batch, path, faults)
  const isValid = faults.count === faultsBefore
  const state = isValid ? toState(batch) : {}
  const entities = isValid && hasEntities(batch) ? toEntities(batch, path, faults) : undefined
  const samples = given ? given(path, faults) : readSamples(batch, path, faults)
  const pieces = piecesOf(samples, around, tail.of(state.filesystems, state.interfaces))
  return { pieces, newestAtMs: newestOf(pieces), state, entities }
}

const hasEntities = ({ entities, entity_events: events }: Fields): boolean => entities !== undefined || events !== undefined

function piecesOf(
  { atMs, toReadings }: SentSamples,
  { path, number, limits, rejected, faults }: BatchContext,
  tail: readonly LastValue[],
): PushPiece[] {
  if (atMs.length === 0) return []
  const rejections = rejectByInstant(atMs, limits)
  checkSpan(atMs, rejections, path, faults)
  const readings = toReadings(rejections)
  for (const [index, rejection] of [...rejections].sort(([left], [right]) => left - right))
    rejected.push({ batch: number, index, ...rejection })
  return splitByHour(readings, rejections, tail)
}

function rejectByInstant(atMs: Float64Array, { oldestMs, newestMs }: PushLimits): Rejections {
  const rejections: Rejections = new Map()
  for (let index = 0; index < atMs.length; index++) {
    const at = valueAt(atMs, index)
    if (at < oldestMs) rejections.set(index, { code: 'too_old', message: 'at is older than samples are kept' })
    else if (at > newestMs)
      rejections.set(index, { code: 'too_far_ahead', message: "at is too far ahead of the backend's clock" })
  }
  return rejections
}

/** Among the samples whose instant is accepted: one of a clock that went astray is refused alone and costs no others. */
function checkSpan(atMs: Float64Array, rejections: Rejections, path: string, faults: Faults): void {
  let oldest = Number.POSITIVE_INFINITY
  let newest = Number.NEGATIVE_INFINITY
  for (let index = 0; index < atMs.length; index++) {
    if (rejections.has(index)) continue
    const at = valueAt(atMs, index)
    oldest = Math.min(oldest, at)
    newest = Math.max(newest, at)
  }
  if (newest - oldest > MAX_BATCH_SPAN_MS) faults.add(path, 'must not span more than 24 hours')
}

function newestOf(pieces: readonly PushPiece[]): number | undefined {
  return pieces.reduce<number | undefined>((newest, { tLastMs }) => Math.max(newest ?? tLastMs, tLastMs), undefined)
}
