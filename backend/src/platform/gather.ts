/**
 * Asks for many at once. Who asks while an answer is under way waits for the next one, which is for all of them: after a start
 * every host of a fleet is new to the process within a minute. What is answered was read after it was asked for.
 */
export function gather<Question, Answer>(
  answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  mostAtOnce: number,
): (question: Question) => Promise<Answer> {
  let waiting: Asked<Question, Answer>[] = []
  let isAsking = false

  async function askAll(): Promise<void> {
    isAsking = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, mostAtOnce)
      waiting = waiting.slice(mostAtOnce)
      try {
        const answers = await answerAll(batch.map(({ question }) => question))
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isAsking = false
  }

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      if (!isAsking) void askAll()
    })
}

interface Asked<Question, Answer> {
  question: Question
  resolve(answer: Answer): void
  reject(error: unknown): void
}
