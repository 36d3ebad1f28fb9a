/**
 * The door for samples: a parsed push body becomes pieces that are ready to be stored.
 *
 * What is wrong in form refuses the whole push (PushFault). What is wrong in one sample refuses that sample and keeps the rest.
 * Unknown fields are ignored at every level: an agent may be newer than its backend.
 * Checked by hand, not by a compiled schema: this runs for every push, and the check is the conversion.
 */
import { type BatchState, MAX_BATCH_SPAN_MS, MAX_BATCHES_PER_REQUEST } from '@vedette/shared'
import { below, Faults, type Fields, isFields, PushFault } from './batch/faults.ts'
import { readState } from './batch/host-state.ts'
import { parseInstant } from '../platform/instant.ts'
import { cutPieces, type PushPiece } from './batch/pieces.ts'
import { type Named, type Slots, Tail } from './batch/tail.ts'
import { type Refusals, type SentSamples, toReadings } from './batch/readings.ts'
import { readSamples } from './batch/samples.ts'
import { readOptionalText, readText } from './batch/texts.ts'
import { type TailValue, valueAt } from './block/index.ts'

export { parsePushBody } from './batch/parse-body.ts'
export { PushFault }
export type { Named, PushPiece, Slots }

/** Samples before `oldestMs` or after `newestMs` are refused one by one; both instants themselves are accepted. */
export interface PushLimits {
  oldestMs: number
  newestMs: number
}

export interface PushBatch {
  batchId: string
  sentAtMs: number
  agentVersion: string
  /** Oldest first; none when every sample was refused. */
  pieces: PushPiece[]
  /** Of the accepted samples: what the state is stamped with. Undefined when there is none. */
  newestAtMs: number | undefined
  state: BatchState
}

export interface RejectedSample {
  batch: number
  index: number
  message: string
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
  /** Not parsed: whether it is an id, and whose, is judged by who asks. */
  serverId: string | undefined
  /** What was named and has no slot yet: its values are not in the blocks. */
  unplaced: Named[]
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Tells the slots of the server that a request names, or means without naming. */
export type SlotsOf = (serverId: string | undefined) => Slots

/** Everything of a push, or PushFault with what is wrong with it. Filesystems and interfaces go into the blocks where `slotsOf` knows them. */
export function parsePush(body: unknown, limits: PushLimits, slotsOf: SlotsOf): Push {
  if (!isFields(body)) throw new PushFault([{ path: '', message: 'must be an object' }])
  const faults = new Faults()
  const rejected: RejectedSample[] = []
  const bootId = readOptionalText(body, 'boot_id', 128, '', faults)
  const serverId = body['server_id'] === undefined ? undefined : readText(body, 'server_id', { min: 0, max: 2_048 }, '', faults)
  const tail = new Tail(slotsOf(serverId))
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
    unplaced: tail.unplaced,
  }
}

function batchesOf(body: Fields, faults: Faults): { batch: unknown; path: string }[] {
  const { batches } = body
  if (batches === undefined) return [{ batch: body, path: '' }]
  // Samples beside `batches` would be dropped without a word.
  if (body['samples'] !== undefined || body['columns'] !== undefined)
    faults.add('', 'must not have samples or columns beside batches')
  if (Array.isArray(batches) && batches.length >= 1 && batches.length <= MAX_BATCHES_PER_REQUEST) {
    return batches.map((batch: unknown, index) => ({ batch, path: `batches.${index}` }))
  }
  faults.add('batches', `must be an array of 1 to ${MAX_BATCHES_PER_REQUEST} batches`)
  return []
}

/** What stands around a batch. */
interface Around {
  path: string
  number: number
  limits: PushLimits
  rejected: RejectedSample[]
  faults: Faults
  tail: Tail
}

function readBatch(batch: Fields, around: Around): PushBatch {
  const { path, faults, tail } = around
  const batchId = batch['batch_id']
  if (typeof batchId !== 'string' || !UUID.test(batchId)) faults.add(below(path, 'batch_id'), 'must be a UUID')
  const sentAtMs = parseInstant(batch['sent_at'])
  if (sentAtMs === undefined) faults.add(below(path, 'sent_at'), 'must be an ISO 8601 instant with a zone')
  const agentVersion = readText(batch, 'agent_version', { min: 1, max: 64 }, path, faults)
  const samples = readSamples(batch, path, faults)
  const state = readState(batch, path, faults)
  const pieces = piecesOf(samples, around, tail.of(state.filesystems, state.interfaces))
  return {
    batchId: batchId as string,
    sentAtMs: sentAtMs ?? 0,
    agentVersion,
    pieces,
    newestAtMs: newestOf(pieces),
    state,
  }
}

function piecesOf(
  { atMs, given }: SentSamples,
  { path, number, limits, rejected, faults }: Around,
  tail: readonly TailValue[],
): PushPiece[] {
  if (atMs.length === 0) return []
  const refusals = refuseByInstant(atMs, limits)
  noteWideSpan(atMs, refusals, path, faults)
  const readings = toReadings(atMs, given, refusals)
  for (const [index, message] of [...refusals].sort(([left], [right]) => left - right))
    rejected.push({ batch: number, index, message })
  return cutPieces(readings, refusals, tail)
}

function refuseByInstant(atMs: Float64Array, { oldestMs, newestMs }: PushLimits): Refusals {
  const refusals: Refusals = new Map()
  for (let index = 0; index < atMs.length; index++) {
    const at = valueAt(atMs, index)
    if (at < oldestMs) refusals.set(index, 'at is older than samples are kept')
    else if (at > newestMs) refusals.set(index, 'at is too far ahead of the clock of the backend')
  }
  return refusals
}

/** Among the samples whose instant is accepted: one of a clock that went astray is refused alone and costs no others. */
function noteWideSpan(atMs: Float64Array, refusals: Refusals, path: string, faults: Faults): void {
  let oldest = Number.POSITIVE_INFINITY
  let newest = Number.NEGATIVE_INFINITY
  for (let index = 0; index < atMs.length; index++) {
    if (refusals.has(index)) continue
    const at = valueAt(atMs, index)
    oldest = Math.min(oldest, at)
    newest = Math.max(newest, at)
  }
  if (newest - oldest > MAX_BATCH_SPAN_MS) faults.add(path, 'must not span more than 24 hours')
}

function newestOf(pieces: readonly PushPiece[]): number | undefined {
  return pieces.reduce<number | undefined>((newest, { tLastMs }) => Math.max(newest ?? tLastMs, tLastMs), undefined)
}
