import type { Db } from '../../../platform/db/index.ts'
import { mergeSamples } from '../aggregate/index.ts'
import { ALL_STORED, type SampleColumns } from '@vedette/shared/metrics/block'
import { HOUR_MS } from '../storage/schedule.ts'
import { readHoursOfDay } from '../storage/day-samples.ts'
import { readHoursOfDays } from '../storage/day-store.ts'
import { pieceOf, toPiece } from '../storage/hour.ts'
import { readHourPieces } from '../storage/hour-store.ts'
import type { ServerKey } from '../storage/keys.ts'
import { readLatePushes } from '../storage/push-store.ts'

/** All samples of these hours of a server, hour by hour, each instant once, wherever they are stored. */
export async function readHours(db: Db, { organization, server }: ServerKey, hours: readonly number[]): Promise<SampleColumns[]> {
  const pairs = hours.map((hour) => ({ server, hour }))
  const compacted = await readHourPieces(db, organization, pairs)
  const chapters = await readHoursOfDays(db, organization, pairs)
  const pushed = await readLatePushes(db, organization, pairs)
  const ofDays = [...Map.groupBy(chapters, ({ hour }) => hour)].flatMap(([first, own]) => readHoursOfDay(first, own, ALL_STORED))
  const pieces = [
    ...compacted.map((row) => toPiece(row, ALL_STORED)),
    ...ofDays.map(({ hour, columns }) => pieceOf(hour, columns)),
    ...pushed,
  ]
  const byHour = Map.groupBy(pieces, ({ t0Ms }) => Math.floor(t0Ms / HOUR_MS))
  return hours.map((hour) =>
    mergeSamples(
      (byHour.get(hour) ?? []).sort((left, right) => left.t0Ms - right.t0Ms),
      ALL_STORED,
    ),
  )
}
