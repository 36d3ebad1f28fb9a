import { parentPort } from 'node:worker_threads'

/** What the thread reports: that it has started, that it begins a question, and the answer. CPU time is its own, in ms. */
export type ThreadReport<Answer> = { isReady: true } | { beganAtCpuMs: number } | { answer: Answer; atCpuMs: number }

export const cpuMsOf = ({ user, system }: { user: number; system: number }): number => (user + system) / 1_000

/** For the program of a bounded thread: answers each question of its owner, who knows their types. */
export function answerQuestions(answer: (question: never) => unknown): void {
  if (!parentPort) throw new Error('this file is for a worker thread')
  const port = parentPort
  const report = (...[message]: [ThreadReport<unknown>]): void => port.postMessage(message)
  const cpuMs = () => cpuMsOf(process.threadCpuUsage())
  port.on('message', (question: unknown) => {
    report({ beganAtCpuMs: cpuMs() })
    report({ answer: answer(question as never), atCpuMs: cpuMs() })
  })
  report({ isReady: true })
}
