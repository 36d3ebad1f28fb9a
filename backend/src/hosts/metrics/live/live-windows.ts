import type { Clock } from '../../../platform/time/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import { type MarksQuestion, type MeasuredServer, type PushMarks, readPushesOf, readPushMarks } from './live-store.ts'
import { emptyWindow, evictOld, type LiveMean, type LiveWindow, windowStartMs, marksOf, meanOf, takePush } from './live-window.ts'
import { type DecodedPush, decodePushes } from './live.ts'

// unknown → known, once its mean was requested and its pushes were read → unknown again, when a push was missed, a field was not
// decoded, nobody requested it for long, or there is no room. What is known is proven at each question by the marks of the pushes that
// are stored: one statement for all questions, in place of all samples of each.

/** The mean of a field over the live samples of [toMs − spanMs, toMs], each instant once. */
export interface MeanQuestion extends MeasuredServer {
  fieldId: number
  toMs: number
  spanMs: number
}

/** Knows the samples of the fields whose means are requested. */
export interface LiveWindows {
  /** Takes in pushes of a server that are looked at anyway, decoded by the fields that are wanted. */
  addPushes(server: MeasuredServer, pushes: readonly DecodedPush[], wanted: ReadonlySet<number>): void
  /** In the order of the questions, as what is stored says it. */
  means(questions: readonly MeanQuestion[]): Promise<LiveMean[]>
}

interface CachedWindow {
  window: LiveWindow
  /** The longest requested span. */
  spanMs: number
  requestedMs: number
  size: number
}

/**
 * Samples and, by what they take, pushes: some 80 MB, 18,000 fields over ten minutes. Windows beyond it are read from storage each
 * time: evicting others for them would make all of them read again in turns.
 */
const MAX_SIZE = 4_000_000
const PUSH_SIZE = 8
/** Idle windows are evicted and read again at the next request. */
const IDLE_LEAST_MS = 600_000
const SWEEP_EVERY_MS = 60_000

export function createLiveWindows({ db, clock, maxSize = MAX_SIZE }: { db: Db; clock: Clock; maxSize?: number }): LiveWindows {
  const servers = new Map<number, Map<number, CachedWindow>>()
  let [size, sweptMs] = [0, clock.now()]

  function evict(server: number, fieldId: number): void {
    const fields = servers.get(server)
    size -= fields?.get(fieldId)?.size ?? 0
    fields?.delete(fieldId)
    if (fields?.size === 0) servers.delete(server)
  }

  /** Weighs what is held by now, and says whether there is room for it. */
  function weigh(cached: CachedWindow): boolean {
    evictOld(cached.window, cached.spanMs)
    size -= cached.size
    cached.size = cached.window.atMs.length + PUSH_SIZE * cached.window.pushes.length
    size += cached.size
    return size <= maxSize
  }

  function keep(server: number, cached: CachedWindow): void {
    const { fieldId } = cached.window
    evict(server, fieldId)
    const fields = servers.get(server) ?? new Map<number, CachedWindow>()
    servers.set(server, fields.set(fieldId, cached))
    if (!weigh(cached)) evict(server, fieldId)
  }

  function sweep(nowMs: number): void {
    if (nowMs - sweptMs < SWEEP_EVERY_MS) return
    sweptMs = nowMs
    for (const [server, fields] of servers)
      for (const [fieldId, { requestedMs, spanMs }] of fields)
        if (nowMs - requestedMs > Math.max(spanMs, IDLE_LEAST_MS)) evict(server, fieldId)
  }

  async function read(question: MeanQuestion): Promise<LiveMean> {
    const { server, fieldId, toMs } = question
    // What serves a longer question goes on to.
    const spanMs = Math.max(question.spanMs, servers.get(server)?.get(fieldId)?.spanMs ?? 0)
    const window = await readWindow(db, { ...question, spanMs })
    const mean = meanOf(window, toMs, question.spanMs)
    keep(server, { window, spanMs, requestedMs: clock.now(), size: 0 })
    return mean
  }

  return {
    addPushes: ({ server }, pushes, wanted) => {
      for (const [fieldId, cached] of servers.get(server) ?? []) {
        const isWhole = wanted.has(fieldId) && pushes.every((push) => !takePush(cached.window, push).isTwice)
        if (!isWhole || !weigh(cached)) evict(server, fieldId)
      }
    },
    means: async (questions) => {
      sweep(clock.now())
      const candidates = questions.map((question) => candidateFor(servers.get(question.server)?.get(question.fieldId), question))
      const cached = questions.filter((_, index) => candidates[index])
      const marks = (await readPushMarks(db, cached.map(rangeOf))).values()
      const means: LiveMean[] = []
      for (const [index, question] of questions.entries()) {
        const cached = candidates[index]
        const stored = cached && marks.next().value
        const { fromMs, toMs } = rangeOf(question)
        if (cached && stored && isSame(marksOf(cached.window, fromMs, toMs), stored)) {
          cached.requestedMs = clock.now()
          means.push(meanOf(cached.window, toMs, question.spanMs))
        } else means.push(await read(question))
      }
      return means
    },
  }
}

const rangeOf = ({ organization, server, toMs, spanMs }: MeanQuestion): MarksQuestion => ({
  organization,
  server,
  fromMs: windowStartMs(toMs, spanMs),
  toMs,
})

/** What may answer, if it goes back far enough. */
const candidateFor = (cached: CachedWindow | undefined, question: MeanQuestion): CachedWindow | undefined =>
  cached && cached.spanMs >= question.spanMs && cached.window.sinceMs <= rangeOf(question).fromMs ? cached : undefined

const isSame = (one: PushMarks, other: PushMarks): boolean =>
  one.count === other.count && one.upper === other.upper && one.lower === other.lower

async function readWindow(db: Db, question: MeanQuestion): Promise<LiveWindow> {
  const { fromMs, toMs } = rangeOf(question)
  const window = emptyWindow(question.fieldId, fromMs)
  const pushes = await readPushesOf(db, question, fromMs, toMs)
  pushes.sort((one, other) => one.receivedAtMs - other.receivedAtMs)
  for (const push of decodePushes(pushes, new Set([question.fieldId]))) takePush(window, push)
  return window
}
