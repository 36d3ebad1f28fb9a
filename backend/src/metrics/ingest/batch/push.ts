/**
 * Turns a parsed push body into pieces that are ready to be stored.
 *
 * A body that does not match the published schema is refused as a whole (PushFault, with all faults). A sample with an impossible value or
 * instant is rejected alone. Unknown fields are ignored at every level: an agent may be newer than its backend. Samples themselves are
 * checked while they are converted (`samples.ts`), everything else by a check that is compiled from the schema.
 */
import { Batch, type BatchState, MAX_BATCH_SPAN_MS, MAX_BATCHES_PER_REQUEST, PushBody } from '@vedette/shared'
import { compileFields } from './check-schema.ts'
import { Faults, type Fields, isFields, PushFault } from './faults.ts'
import { toState } from './host-state.ts'
import { splitByHour, type PushPiece } from './pieces.ts'
import { type Named, type Slots, SlotValues } from './slot-values.ts'
import { type Rejection, type Rejections, type SentSamples, toReadings } from './readings.ts'
import { readSamples } from './samples.ts'
import { type LastValue, valueAt } from '../../block/index.ts'

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

/** Everything of a push, or PushFault with what is wrong with it. Filesystems and interfaces go into the blocks where `slotsOf` knows them. */
export function parsePush(body: unknown, limits: PushLimits, slotsOf: SlotsOf): Push {
  if (!isFields(body)) throw new PushFault([{ path: '', message: 'must be an object' }])
  const faults = new Faults()
  const rejected: RejectedSample[] = []
  checkRequest(body, '', faults)
  const { boot_id: bootId, server_id: serverId } = body as { boot_id?: string; server_id?: string }
  const tail = new SlotValues(slotsOf(serverId))
  const batches = batchesOf(body, faults).flatMap(({ batch, path }, number) => {
    if (isFields(batch)) return [readBatch(batch, { path, number, limits, rejected, faults, tail })]
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

function batchesOf(body: Fields, faults: Faults): { batch: unknown; path: string }[] {
  const { batches } = body
  if (batches === undefined) return [{ batch: body, path: '' }]
  // Samples next to `batches` would be dropped silently.
  if (body['samples'] !== undefined || body['columns'] !== undefined)
    faults.add('', 'must not have samples or columns in addition to batches')
  if (Array.isArray(batches) && batches.length >= 1 && batches.length <= MAX_BATCHES_PER_REQUEST) {
    return batches.map((batch: unknown, index) => ({ batch, path: `batches.${index}` }))
  }
  faults.add('batches', `must be an array of 1 to ${MAX_BATCHES_PER_REQUEST} batches`)
  return []
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

function readBatch(batch: Fields, around: BatchContext): PushBatch {
  const { path, faults, tail } = around
  const faultsBefore = faults.count
  checkBatch(batch, path, faults)
  const state = faults.count === faultsBefore ? toState(batch) : {}
  const samples = readSamples(batch, path, faults)
  const pieces = piecesOf(samples, around, tail.of(state.filesystems, state.interfaces))
  return { pieces, newestAtMs: newestOf(pieces), state }
}

function piecesOf(
  { atMs, given }: SentSamples,
  { path, number, limits, rejected, faults }: BatchContext,
  tail: readonly LastValue[],
): PushPiece[] {
  if (atMs.length === 0) return []
  const rejections = rejectByInstant(atMs, limits)
  checkSpan(atMs, rejections, path, faults)
  const readings = toReadings(atMs, given, rejections)
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
