import { withFreshBudget, withinBudget } from './waiting-budget.ts'

/**
 * Combines requests. Those that arrive during a query form the next batch: after a start, every host of a fleet is unknown to the
 * process within a minute. Every answer is read after its request arrived.
 */
export function createRequestBatcher<Question, Answer>(
  answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  mostAtOnce: number,
): (question: Question) => Promise<Answer> {
  let waiting: PendingRequest<Question, Answer>[] = []
  let isRunning = false

  async function answerBatches(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, mostAtOnce)
      waiting = waiting.slice(mostAtOnce)
      try {
        const answers = await withFreshBudget(() => answerAll(batch.map(({ question }) => question)))
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isRunning = false
  }

  return (question) => {
    const answer = new Promise<Answer>((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      if (!isRunning) void answerBatches()
    })
    return withinBudget(answer)
  }
}

interface PendingRequest<Question, Answer> {
  question: Question
  resolve(answer: Answer): void
  reject(error: unknown): void
}
