import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads'
import { after, type Alarm } from '../time/monotonic.ts'
import { cpuMsOf, type ThreadReport } from './answering-thread.ts'

type Failure = 'time' | 'memory' | 'ended'
/**
 * `time`: it took more CPU time than it may; `memory`: more memory; `ended`: the thread ended for another reason; `canceled`: its signal
 * was aborted.
 */
export type ThreadOutcome<Answer, Reason = Failure> = { answer: Answer } | { failure: Reason }

export interface BoundedThread<Question, Answer> {
  /** Never rejects. Urgent questions come before the others; apart from that they are answered in their order. */
  run(question: Question, options?: { isUrgent?: boolean }): Promise<ThreadOutcome<Answer>>
  /** The same; an aborted signal ends the thread in the middle of the answer. */
  run(question: Question, options: { signal: AbortSignal }): Promise<ThreadOutcome<Answer, Failure | 'canceled'>>
  /** Ends the thread. */
  close(): Promise<void>
}

export interface ThreadBounds<Question = unknown> {
  /** CPU time of one answer. Waiting, the start of the thread and a busy machine do not count. */
  cpuMs: number
  memory: ResourceLimits
  /** Of the start, and of one answer: a thread that does not even report its CPU time in this time is given up. */
  lostMs?: number
  /** What of a question is moved to the thread and not copied. */
  transfer?: (question: Question) => Transferable[]
}

interface Pending<Question, Answer> {
  question: Question
  resolve(outcome: ThreadOutcome<Answer, Failure | 'canceled'>): void
}

/** How often the CPU time of an answer is read once it may have used it up. */
const READ_MS = 10
const LOST_MS = 10_000

/**
 * A thread for work whose time nobody can foresee. It answers one question at a time, starts with the first one, is ended when an
 * answer exceeds its bounds, and starts again with the next question. It keeps the process alive only while it answers.
 */
export function createBoundedThread<Question, Answer>(
  file: URL,
  bounds: ThreadBounds<Question>,
): BoundedThread<Question, Answer> {
  const [urgent, others]: [Pending<Question, Answer>[], Pending<Question, Answer>[]] = [[], []]
  let current: Pending<Question, Answer> | undefined
  let worker: Worker | undefined
  let [isReady, beganAtCpuMs] = [false, 0]
  let alarms: Alarm[] = []

  function next(): void {
    current ??= urgent.shift() ?? others.shift()
    if (!current) return
    if (!worker) start()
    else if (isReady) {
      worker.ref()
      limit(worker)
      worker.postMessage(current.question, bounds.transfer?.(current.question) ?? [])
    }
  }

  function settle(outcome: ThreadOutcome<Answer, Failure | 'canceled'>): void {
    for (const alarm of alarms.splice(0)) alarm.cancel()
    worker?.unref()
    const settled = current
    current = undefined
    settled?.resolve(outcome)
    next()
  }

  function start(): void {
    const thread = new Worker(file, { execArgv: [], resourceLimits: bounds.memory })
    worker = thread
    isReady = false
    limit(thread)
    thread.on('message', (report: ThreadReport<Answer>) => receive(thread, report))
    thread.on('error', (error: NodeJS.ErrnoException) =>
      replace(thread, error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'ended'),
    )
    thread.on('exit', () => replace(thread, 'ended'))
  }

  function receive(thread: Worker, report: ThreadReport<Answer>): void {
    if (worker !== thread) return
    if ('isReady' in report) {
      isReady = true
      for (const alarm of alarms.splice(0)) alarm.cancel()
      thread.unref()
      next()
    } else if ('beganAtCpuMs' in report) {
      beganAtCpuMs = report.beganAtCpuMs
      alarms.push(after(bounds.cpuMs, () => void watch(thread)))
    } else settle(report.atCpuMs - beganAtCpuMs > bounds.cpuMs ? { failure: 'time' } : { answer: report.answer })
  }

  /** Ends the thread once its answer has used up its time. */
  async function watch(thread: Worker): Promise<void> {
    const pending = current
    // It rejects where the thread has ended meanwhile, which its exit reports.
    const usage = await thread.cpuUsage().catch(() => undefined)
    if (!usage || worker !== thread || current !== pending) return
    if (cpuMsOf(usage) - beganAtCpuMs > bounds.cpuMs) replace(thread, 'time')
    else alarms.push(after(READ_MS, () => void watch(thread)))
  }

  const limit = (thread: Worker) => void alarms.push(after(bounds.lostMs ?? LOST_MS, () => replace(thread, 'ended')))

  function replace(thread: Worker, failure: Failure | 'canceled'): void {
    if (worker !== thread) return
    worker = undefined
    thread.unref()
    void thread.terminate()
    settle({ failure })
  }

  /** A question that waits is never begun; of one that is being answered the thread is ended. */
  function cancel(pending: Pending<Question, Answer>): void {
    for (const waiting of [urgent, others]) if (waiting.includes(pending)) waiting.splice(waiting.indexOf(pending), 1)
    if (current === pending && worker) replace(worker, 'canceled')
    else pending.resolve({ failure: 'canceled' })
  }

  function run(question: Question, { isUrgent = false, signal }: { isUrgent?: boolean; signal?: AbortSignal } = {}) {
    if (signal?.aborted) return Promise.resolve({ failure: 'canceled' })
    const { promise, resolve } = Promise.withResolvers<ThreadOutcome<Answer, Failure | 'canceled'>>()
    const pending = { question, resolve }
    ;(isUrgent ? urgent : others).push(pending)
    const abort = () => cancel(pending)
    signal?.addEventListener('abort', abort, { once: true })
    if (!current) next()
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  // A run without a signal is never canceled.
  return { run: run as BoundedThread<Question, Answer>['run'], close: async () => void (await worker?.terminate()) }
}
