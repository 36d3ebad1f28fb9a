import { createGroupCommit } from './group-commit.ts'
import { withFreshBudget, withinBudget } from './waiting-budget.ts'

/**
 * Combines requests. Those that arrive during a query form the next batch: after a start, every host of a fleet is unknown to the
 * process within a minute. Every answer is read after its request arrived. A failed query rejects all requests of its batch.
 */
export function createRequestBatcher<Question, Answer>(
  answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  mostAtOnce: number,
): (question: Question) => Promise<Answer> {
  const { add } = createGroupCommit<Question, Answer>({
    store: (questions) => withFreshBudget(() => answerAll(questions)),
    maxRows: mostAtOnce,
    onFailure: (error) => ({ action: 'batch', error }),
  })
  return (question) => withinBudget(add(question))
}
