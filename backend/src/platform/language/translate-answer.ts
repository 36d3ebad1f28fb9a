import { type Language, translate } from './translate.ts'

/** Fields of answers in which the server speaks; names and what people write stand in others. */
const SPOKEN: ReadonlySet<string> = new Set(['summary', 'message', 'text', 'reason', 'title'])
/** What people set: the templates of a channel may have the words of a sentence. */
const SET_BY_PEOPLE: ReadonlySet<string> = new Set(['config'])
/** What people wrote has a kind or type of these. */
const OF_PEOPLE: ReadonlySet<unknown> = new Set(['comment', 'annotation', 'post'])

/** An answer with the sentences of the server in a language. Pure. */
export function translateAnswer(answer: unknown, language: Language): unknown {
  if (language === 'en' || typeof answer !== 'object' || answer === null || answer instanceof Date) return answer
  if (Array.isArray(answer)) return answer.map((one) => translateAnswer(one, language))
  const { type, kind } = answer as { type?: unknown; kind?: unknown }
  if (OF_PEOPLE.has(type) || OF_PEOPLE.has(kind)) return answer
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, translateField(name, value, language)]))
}

function translateField(name: string, value: unknown, language: Language): unknown {
  if (SET_BY_PEOPLE.has(name)) return value
  return typeof value === 'string' && SPOKEN.has(name) ? translate(value, language) : translateAnswer(value, language)
}
