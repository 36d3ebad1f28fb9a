/** A thread that evaluates queries. */
import { answerQuestions } from '../../../platform/concurrency/answering-thread.ts'
import { answerQuery } from './answer-query.ts'

answerQuestions(answerQuery)
