import { DeliveryError, type OutAnswer } from './delivery.ts'
import { cut, oneLine } from './words.ts'

const MAX_WORDS = 300

/** The answer, where it says that the message is taken: a 2xx, and nothing in it that says otherwise. Throws DeliveryError. */
export function taken(answer: OutAnswer, fault?: (answer: OutAnswer) => string | undefined): OutAnswer {
  const { status, text } = answer
  const isTaken = status >= 200 && status < 300
  const words = isTaken ? fault?.(answer) : oneLine(text)
  if (isTaken && words === undefined) return answer
  const said = words === undefined || words === '' ? '' : `: ${cut(words, MAX_WORDS)}`
  throw new DeliveryError('refused', `the service answered ${status}${said}`, answer)
}
