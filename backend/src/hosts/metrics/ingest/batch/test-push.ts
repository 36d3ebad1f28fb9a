/** Shared by the tests of the ingest endpoint. */
import { encodeBinaryBatch, encodeBinaryPush } from '@vedette/shared/metrics/binary-push'
import type { SampleColumns } from '@vedette/shared/metrics/block'
import { parsePush, type Push, type Slots } from './push.ts'

export const NOW = Date.parse('2026-11-20T18:30:00.000Z')
export const DAY = 86_400_000
export const limits = { oldestMs: NOW - 8 * DAY, newestMs: NOW + 300_000 }

export const head = {
  batch_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  sent_at: '2026-11-20T18:30:00.000Z',
  agent_version: '1.0.0',
}
export const byColumns = (columns: object) => ({ ...head, columns })
export const byRows = (...samples: object[]) => ({ ...head, samples })
/** A push of one batch for each of these columns. */
export const byBlocks = (...columns: SampleColumns[]): Buffer =>
  encodeBinaryPush(
    {},
    columns.map((each) => encodeBinaryBatch(head, each)),
  )
const noSlots: Slots = { slotOf: () => undefined, isFull: () => true }
export const parse = (body: unknown): Push => parsePush(body, limits, () => noSlots)
/** Bodies come from JSON: what it cannot write must not be tested as if it could arrive. */
export const overJson = (body: unknown): unknown => JSON.parse(JSON.stringify(body))
