/** The words of a command line as a shell reads them, without expanding anything. One pass; what is not closed ends with the text. */
export function shellWords(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  const add = (letter: string) => {
    word = (word ?? '') + letter
  }
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] as string
    const next = text[at + 1]
    if (quote !== '') {
      if (letter === quote.at(-1)) quote = ''
      else if (letter === '\\' && next !== undefined && (quote === "$'" || (quote === '"' && /["\\$`\n]/.test(next)))) {
        at += 1
        if (next !== '\n') add(quote === '"' ? next : (ESCAPES[next] ?? next))
      } else add(letter)
    } else if (letter === '$' && next === "'") {
      quote = "$'"
      at += 1
      add('')
    } else if (letter === "'" || letter === '"') {
      quote = letter
      add('')
    } else if ((letter === '\\' || letter === '^') && /^\r?\n/.test(text.slice(at + 1, at + 3))) at += next === '\r' ? 2 : 1
    else if (letter === '\\' && next !== undefined) {
      at += 1
      add(next)
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else add(letter)
  }
  if (word !== undefined) words.push(word)
  return words
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

interface Options {
  /** By the name that `valued` has for them; of a repeated one all values. */
  values: Readonly<Record<string, readonly string[]>>
  /** Options without a value, as `k` or `insecure`. */
  flags: ReadonlySet<string>
  /** What is no option. */
  rest: readonly string[]
}

/**
 * Sorts the words after a command. `valued` has the options that take a value, each with the name that it is known by: `-h` as `h`,
 * `--host` as `host`. A value may stand in the same word or in the next one.
 */
export function readOptions(words: readonly string[], valued: Readonly<Record<string, string>>): Options {
  const values: Record<string, string[]> = {}
  const flags = new Set<string>()
  const rest: string[] = []
  const nameOf = (option: string) => (Object.hasOwn(valued, option) ? valued[option] : undefined)
  const keep = (name: string, value: string) => {
    ;(values[name] ??= []).push(value)
  }
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string
    if (word.length < 2 || !word.startsWith('-')) {
      rest.push(word)
      continue
    }
    const [option = '', ...assigned] = word.replace(/^-{1,2}/, '').split('=')
    const whole = nameOf(option)
    if (whole !== undefined) {
      if (assigned.length > 0) keep(whole, assigned.join('='))
      else if (words[at + 1] !== undefined) keep(whole, words[(at += 1)] as string)
    } else if (word.startsWith('--')) flags.add(option)
    else {
      // Several letters, of which the last may take the rest of the word, or the next one.
      for (let letter = 1; letter < word.length; letter += 1) {
        const name = nameOf(word[letter] as string)
        if (name === undefined) {
          flags.add(word[letter] as string)
          continue
        }
        const own = word.slice(letter + 1)
        if (own !== '') keep(name, own)
        else if (words[at + 1] !== undefined) keep(name, words[(at += 1)] as string)
        break
      }
    }
  }
  return { values, flags, rest }
}
