import { EXPORTED_SAMPLES } from '@vedette/shared'
import type { Db, Loss, Losses } from '../../platform/db/index.ts'
import type { Cursor, ExportedPush } from './series/batches.ts'
import type { ExportScope, ExportSource, SampleKind } from './sources/source.ts'

const NOUNS: Readonly<Record<SampleKind, string>> = {
  hosts: 'samples of hosts',
  entities: 'values of entities',
  series: 'samples of series',
}

export interface LostPart {
  /** What was received after it is not sent, up to `toMs`. */
  cursor: Cursor
  toMs: number
  nowMs: number
  ending: AbortSignal
  /** Whether a push is to be sent at all. */
  isOwn(push: ExportedPush): boolean
}

/** What is given up: counted value by value in the pushes that are still there, and estimated of those that are gone. Undefined: the program ends. */
export async function measureLoss(db: Db, source: ExportSource, scope: ExportScope, part: LostPart): Promise<Loss | undefined> {
  const { cursor, toMs, nowMs } = part
  const fromMs = cursor.receivedAtMs
  const goneToMs = source.keptMs === undefined ? toMs : Math.min(toMs, nowMs - source.keptMs)
  const isGone = goneToMs > fromMs
  const estimated = isGone ? await source.estimate(db, scope.organization, { fromMs, toMs: goneToMs }) : 0
  const counted = goneToMs < toMs ? await countPushed(db, source, scope, part, isGone ? goneToMs : undefined) : 0
  if (counted === undefined) return undefined
  const precision = estimated === undefined ? 'at least ' : isGone ? 'about ' : ''
  return { from_ms: fromMs, to_ms: toMs, count: counted + (estimated ?? 0), precision }
}

async function countPushed(
  db: Db,
  source: ExportSource,
  scope: ExportScope,
  { cursor, toMs, ending, isOwn }: LostPart,
  sinceMs: number | undefined,
): Promise<number | undefined> {
  let [after, count] = [sinceMs === undefined ? cursor : atInstant(sinceMs), 0]
  count -= after.values
  for (;;) {
    if (ending.aborted) return undefined
    const { pushes, isAll } = await source.read(db, scope, after, toMs - 1)
    for (const push of pushes) {
      if (isOwn(push)) for (const { atMs } of push.series) count += atMs.length
      after = { ...push.place, values: 0 }
    }
    if (isAll || pushes.length === 0) return Math.max(0, count)
  }
}

/** Before everything that was received at the instant. */
export const atInstant = (receivedAtMs: number): Cursor => ({ receivedAtMs, t0Ms: 0, digest: '0', server: 0, values: 0 })

/** One loss that goes on is one; one that began after others stands in their place. Pure. */
export function withLoss(losses: Losses, kind: SampleKind, loss: Loss): Losses {
  const before = losses[kind]
  if (before?.to_ms !== loss.from_ms) return { ...losses, [kind]: loss }
  const precision = before.precision === '' ? loss.precision : before.precision
  return { ...losses, [kind]: { from_ms: before.from_ms, to_ms: loss.to_ms, count: before.count + loss.count, precision } }
}

/** What is wrong with an export: what stays first, and what goes away by itself last. Undefined: nothing. Pure. */
export function faultOf(state: { losses: Losses; last_error: string | null; waiting: string | null }): string | null {
  const lost = EXPORTED_SAMPLES.flatMap((kind) => {
    const loss = state.losses[kind]
    if (!loss) return []
    const [since, until] = [new Date(loss.from_ms).toISOString(), new Date(loss.to_ms).toISOString()]
    const what = `${loss.precision}${loss.count} ${NOUNS[kind]}`
    return `what was received from ${since} to ${until} was no longer stored push by push, and is not sent: ${what}`
  })
  const all = [...lost, state.last_error, state.waiting].filter((words) => words !== null)
  return all.length === 0 ? null : all.join('; ')
}
