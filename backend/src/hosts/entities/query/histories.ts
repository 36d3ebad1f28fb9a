import type { EntityKindName } from '@vedette/shared'
import { ALL_STORED, type SampleColumns, valueAt } from '@vedette/shared/metrics/block'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../../platform/db/index.ts'
import { decodeChunk, joinColumns } from '../storage/chunk.ts'
import { readChunks } from '../storage/chunk-store.ts'
import { readPushed } from '../storage/push-store.ts'
import { decodeReadings } from '../storage/readings.ts'
import { valuesOfField } from './figures.ts'
import type { SeenEntity } from './seen-store.ts'

export interface EntityHistory {
  atMs: Float64Array
  /** In the unit of the field, NaN where it was not read; undefined for one that never was. */
  valuesOf(field: string): Float64Array | undefined
}

/** Pushes decoded before others have a turn: some 2 ms. */
const PUSHES_A_TURN = 200

/** What was read of these entities of a server in [fromMs, toMs), each instant once and in order, by the number of the entity. */
export async function readHistories(
  db: Db,
  { organization, server, entities }: { organization: number; server: number; entities: readonly SeenEntity[] },
  window: { fromMs: number; toMs: number },
): Promise<Map<number, EntityHistory>> {
  const pieces = new Map(entities.map(({ number }): [number, SampleColumns[]] => [number, []]))
  const chunks = await readChunks(db, { organization, server, entities: [...pieces.keys()] }, window)
  // After the chunks: what is compacted in between is in both, and none is in neither.
  const pushed = await readPushed(db, organization, server, window)
  for (const { entity, data } of chunks) pieces.get(entity)?.push(decodeChunk(data, ALL_STORED))
  const kinds = new Set(entities.map(({ kind }) => kind))
  const onlyKind = kinds.size === 1 ? [...kinds][0] : undefined
  for (const [index, { at, data }] of pushed.entries()) {
    if (index % PUSHES_A_TURN === PUSHES_A_TURN - 1) await yieldToEventLoop()
    for (const [kind, columns] of decodeReadings(data, onlyKind)) if (kinds.has(kind)) spread(columns, at, pieces)
  }
  return new Map(
    entities.flatMap(({ number, kind }): [number, EntityHistory][] => {
      const own = pieces.get(number) ?? []
      return own.length === 0 ? [] : [[number, historyOf(kind, joinColumns(own), window)]]
    }),
  )
}

/** The readings of one instant, by entity. */
function spread({ atMs: numbers, fieldIds, values }: SampleColumns, at: number, pieces: Map<number, SampleColumns[]>): void {
  for (const [index, number] of numbers.entries()) {
    const own = pieces.get(number)
    if (!own) continue
    const ofOne = Float64Array.from(fieldIds, (_, row) => valueAt(values, row * numbers.length + index))
    own.push({ atMs: Float64Array.of(at), fieldIds, values: ofOne })
  }
}

function historyOf(kind: EntityKindName, columns: SampleColumns, { fromMs, toMs }: { fromMs: number; toMs: number }) {
  const before = columns.atMs.findIndex((at) => at >= fromMs)
  const from = before < 0 ? columns.atMs.length : before
  const to = columns.atMs.findLastIndex((at) => at < toMs) + 1
  return {
    atMs: columns.atMs.subarray(from, Math.max(from, to)),
    valuesOf: (field: string) => valuesOfField(kind, columns, field)?.subarray(from, Math.max(from, to)),
  }
}
