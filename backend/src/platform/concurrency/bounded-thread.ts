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

function createThread<Question, Answer>(file: URL, bounds: ThreadBounds<Question>) {
  const waiting = createLine<Pending<Question, Answer>>()
  let current: Pending<Question, Answer> | undefined
  let worker: Worker | undefined
  let [isReady, beganAtCpuMs] = [false, 0]
  let alarms: Alarm[] = []

  function next(): void {
    current ??= waiting.next()
    if (current && !worker) start()
    if (!current || !worker || !isReady) return
    worker.ref()
    limit(worker)
    worker.postMessage(current.question, bounds.transfer?.(current.question) ?? [])
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
    onEnd(thread, (failure) => replace(thread, failure))
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
    waiting.leave(pending)
    if (current === pending && worker) replace(worker, 'canceled')
    else pending.resolve({ failure: 'canceled' })
  }

  const add = (pending: Pending<Question, Answer>, isUrgent: boolean): void => {
    waiting.join(pending, isUrgent)
    if (!current) next()
  }
  return { add, cancel, close: async () => void (await worker?.terminate()) }
}

/**
 * A thread for work whose time nobody can foresee. It answers one question at a time, starts with the first one, is ended when an
 * answer exceeds its bounds, and starts again with the next question. It keeps the process alive only while it answers.
 */
export function createBoundedThread<Question, Answer>(
  file: URL,
  bounds: ThreadBounds<Question>,
): BoundedThread<Question, Answer> {
  const thread = createThread<Question, Answer>(file, bounds)

  async function run(question: Question, { isUrgent = false, signal }: { isUrgent?: boolean; signal?: AbortSignal } = {}) {
    if (signal?.aborted) return { failure: 'canceled' }
    const { promise, resolve } = Promise.withResolvers<ThreadOutcome<Answer, Failure | 'canceled'>>()
    const pending = { question, resolve }
    const abort = () => thread.cancel(pending)
    signal?.addEventListener('abort', abort, { once: true })
    thread.add(pending, isUrgent)
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  // A run without a signal is never canceled.
  return { run: run as BoundedThread<Question, Answer>['run'], close: thread.close }
}

function onEnd(thread: Worker, call: (failure: Failure) => void): void {
  thread.on('error', (error: NodeJS.ErrnoException) => call(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'ended'))
  thread.on('exit', () => call('ended'))
}

/** Urgent ones come before the others; apart from that the order is kept. */
function createLine<Item>() {
  const [urgent, others]: [Item[], Item[]] = [[], []]
  return {
    join: (item: Item, isUrgent: boolean) => void (isUrgent ? urgent : others).push(item),
    next: () => urgent.shift() ?? others.shift(),
    leave(item: Item) {
      for (const line of [urgent, others]) if (line.includes(item)) line.splice(line.indexOf(item), 1)
    },
  }
}
