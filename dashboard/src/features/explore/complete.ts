import { AGGREGATIONS, FUNCTIONS, GROUPINGS, KEYWORDS } from './language.ts'

/** What the cursor is in, and which part of the text a choice replaces. */
export type Place = { from: number; to: number; typed: string } & (
  | { kind: 'name' }
  /** In braces, or in a list such as that of `by`. `metrics` may have other names than those of metrics. */
  | { kind: 'label'; metrics: readonly string[]; isMatcher: boolean }
  | { kind: 'value'; metrics: readonly string[]; label: string; quote: string }
)

export interface Choice {
  kind: 'metric' | 'function' | 'aggregation' | 'keyword' | 'label' | 'value'
  text: string
  /** In words, where there are any. */
  help?: string
}

export interface Vocabulary {
  metrics: readonly { name: string; help: string }[]
  labels: readonly string[]
  values: readonly string[]
}

/** A list of more is not read. */
export const MOST_CHOICES = 50

const TOKEN = /#[^\n]*|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`[^`]*`?|[A-Za-z_:][\w:]*|\d[\w.]*|[{}()[\]]|=~|!~|!=|=|\s+|[^]/g
const isWord = (text: string | undefined): text is string => text !== undefined && /^[A-Za-z_:]/.test(text)
const MATCHES = new Set(['=', '!=', '=~', '!~'])

/** The text up to a token that counts: white space and comments do not. */
interface State {
  /** The brackets that are open, with the word before each. */
  brackets: { open: string; word: string | undefined }[]
  before: string[]
}

const isGrouping = (word: string | undefined): boolean => word !== undefined && GROUPINGS.has(word.toLowerCase())

/** Each token with the state before it; the state of the last one goes on. */
function* tokensOf(text: string, state: State): Generator<{ token: string; from: number; to: number }> {
  const { brackets, before } = state
  for (const { 0: token, index: from } of text.matchAll(TOKEN)) {
    yield { token, from, to: from + token.length }
    if (/^[\s#]/.test(token)) continue
    if (/^[{([]$/.test(token)) brackets.push({ open: token, word: before.at(-1) })
    if (/^[})\]]$/.test(token)) brackets.pop()
    before.push(token)
  }
}

/** The place of the cursor; undefined where nothing can be completed. Pure. */
export function placeAt(text: string, cursor: number): Place | undefined {
  const state: State = { brackets: [], before: [] }
  for (const { token, from, to } of tokensOf(text, state)) {
    // A word goes on at its end, and so does a text that is not closed.
    const isIn = cursor > from && (cursor < to || (cursor === to && goesOn(token)))
    if (isIn && isWord(token)) return unquoted(text, { from, to, typed: text.slice(from, cursor) }, state)
    if (isIn && /^["'`]/.test(token)) return quoted(text, { token, from, to }, cursor, state)
    if (isIn && !/^\s/.test(token)) return undefined
    if (to > cursor) break
  }
  return unquoted(text, { from: cursor, to: cursor, typed: '' }, state)
}

const goesOn = (token: string): boolean => /^[\w:#]/.test(token) || (/^["'`]/.test(token) && !isClosed(token))
const isClosed = (token: string): boolean => /^(["'`])[^]*\1$/.test(token) && token.length > 1

function quoted(
  text: string,
  { token, from, to }: { token: string; from: number; to: number },
  cursor: number,
  { brackets, before }: State,
): Place | undefined {
  const { open, word } = brackets.at(-1) ?? {}
  const [label, sign = ''] = before.slice(-2)
  if (open !== '{' || !isWord(label) || !MATCHES.has(sign)) return undefined
  return {
    kind: 'value',
    from: from + 1,
    to: isClosed(token) ? to - 1 : cursor,
    typed: text.slice(from + 1, cursor),
    label,
    quote: token[0] ?? '',
    metrics: isWord(word) ? [word] : [],
  }
}

function unquoted(text: string, part: Pick<Place, 'from' | 'to' | 'typed'>, { brackets, before }: State): Place | undefined {
  const { open, word } = brackets.at(-1) ?? {}
  if (open === '[') return undefined
  const isMatcher = open === '{'
  if (!isMatcher && !(open === '(' && isGrouping(word))) return { kind: 'name', ...part }
  if (!['{', '(', ','].includes(before.at(-1) ?? '')) return undefined
  return { kind: 'label', ...part, isMatcher, metrics: !isMatcher ? metricsIn(text) : isWord(word) ? [word] : [] }
}

/** The words of a text that may be names of metrics, each once. */
export function metricsIn(text: string): string[] {
  const state: State = { brackets: [], before: [] }
  const found = new Set<string>()
  for (const { token, to } of tokensOf(text, state)) {
    const { open, word } = state.brackets.at(-1) ?? {}
    const isElsewhere = open === '{' || open === '[' || isGrouping(word)
    if (isWord(token) && !isElsewhere && !OTHER_WORDS.has(token.toLowerCase()) && !/^\s*\(/.test(text.slice(to))) found.add(token)
  }
  return [...found]
}

const OTHER_WORDS = new Set([...AGGREGATIONS, ...GROUPINGS, ...KEYWORDS, 'inf', 'nan'])

/** With another name in place of one. */
export const withName = (text: string, name: string, other: string): string =>
  text.replaceAll(new RegExp(`(?<![\\w:])${name}(?![\\w:])`, 'g'), other)

/** What fits at a place: what begins with what is typed, then what contains it. Pure. */
export function choicesAt(place: Place, { metrics, labels, values }: Vocabulary): Choice[] {
  const { kind, typed } = place
  if (kind === 'label') return fitting(typed, [labels.map((text): Choice => ({ kind, text }))])
  if (kind === 'value') return fitting(typed, [values.map((text): Choice => ({ kind, text }))])
  const of = (names: ReadonlySet<string>, what: Choice['kind']) => [...names].map((text): Choice => ({ kind: what, text }))
  const language = [
    ...of(AGGREGATIONS, 'aggregation'),
    ...of(FUNCTIONS, 'function'),
    ...of(GROUPINGS, 'keyword'),
    ...of(KEYWORDS, 'keyword'),
  ]
  const own = metrics.map(({ name, help }): Choice => ({ kind: 'metric', text: name, help }))
  return fitting(typed, typed === '' ? [own, language] : [language, own])
}

function fitting(typed: string, groups: readonly (readonly Choice[])[]): Choice[] {
  const wanted = typed.toLowerCase()
  const all = groups.flat().filter(({ text }) => text !== typed)
  const begins = all.filter(({ text }) => text.toLowerCase().startsWith(wanted))
  // In the middle of a word anything contains one letter.
  const contains = wanted.length < 2 ? [] : all.filter(({ text }) => text.toLowerCase().indexOf(wanted) > 0)
  return [...begins, ...contains].slice(0, MOST_CHOICES)
}

/** The text with a choice in it, and where the cursor goes. Pure. */
export function withChoice(text: string, place: Place, choice: Choice): { text: string; cursor: number } {
  const rest = text.slice(place.to)
  const put = (inserted: string, move = 0) => ({
    text: text.slice(0, place.from) + inserted + rest,
    cursor: place.from + inserted.length + move,
  })
  if (place.kind === 'value') {
    const value = escaped(choice.text, place.quote)
    return rest.startsWith(place.quote) ? put(value, 1) : put(value + place.quote)
  }
  if (place.kind === 'label') return place.isMatcher && !/^\s*[=!]/.test(rest) ? put(`${choice.text}=""`, -1) : put(choice.text)
  const opens = choice.kind === 'function' || choice.kind === 'aggregation' || GROUPINGS.has(choice.text)
  if (!opens) return put(choice.text)
  if (rest.startsWith('(')) return put(choice.text, 1)
  return put(GROUPINGS.has(choice.text) ? `${choice.text} (` : `${choice.text}(`)
}

/** As it stands between such quotes. */
const escaped = (value: string, quote: string): string =>
  quote === '`' ? value : value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll(quote, `\\${quote}`)
