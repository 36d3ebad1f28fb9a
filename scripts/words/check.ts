import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fragment, fragmentsOf } from './fragments.ts'
import { PARTICIPLE_TYPES, WORD_RULES } from './list.ts'

export interface WordFinding {
  path: string
  line: number
  /** As it is written. */
  word: string
  use: string
}

const RULES = WORD_RULES.map(({ words, use, only }) => ({ use, only, pattern: wordsPattern(words) }))
const ANY_RULE = wordsPattern(WORD_RULES.map(({ words }) => words).join('|'), 'iu')
const NOT_OURS = /(?:^|\/)(?:fixtures|licences)\/|^(?:LICENSE|pnpm-lock\.yaml)$|^scripts\/words\//
const READABLE =
  /\.(?:[cm]?[jt]sx?|md|css|html|ya?ml|json|sh|ps1|conf|service|openrc|plist|nsi|wxs|spec|txt|xml|env)$|(?:^|\/)[^.]+$/

/** The tracked files below `root` that people write: no licences, no recordings of hosts, no pictures. */
export function checkedFiles(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  return listed
    .toString()
    .split('\0')
    .filter((path) => path !== '' && READABLE.test(path) && !NOT_OURS.test(path))
    .sort()
}

/** Every listed word in the files, in the order of paths and lines; a file that was deleted and not committed yet has none. */
export function checkFiles(root: string, paths: readonly string[]): WordFinding[] {
  return paths.flatMap((path) => {
    let text: string
    try {
      text = readFileSync(join(root, path), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
    return checkText(path, text)
  })
}

/** The listed words in the name and the content of one file. */
export function checkText(path: string, text: string): WordFinding[] {
  const fragments: Fragment[] = [{ kind: 'name', text: path, line: 1 }, ...fragmentsOf(path, text)]
  return fragments.flatMap((fragment) => checkFragment(fragment).map((finding) => ({ path, ...finding })))
}

function checkFragment({ kind, text, line }: Fragment): Omit<WordFinding, 'path'>[] {
  if (kind === 'name' && isCleanName(text)) return []
  const spaced = spacedWords(text)
  const found = RULES.filter(({ only }) => only === undefined || kind === 'name').flatMap(({ pattern, use }) =>
    [...spaced.matchAll(pattern)].map((match) => ({ line: lineAt(spaced, match.index, line), word: match[0], use })),
  )
  if (kind === 'name') {
    if (PARTICIPLE_TYPES.test(text)) found.push({ line, word: text, use: 'the noun of the thing' })
    return found
  }
  // A sentence that names an identifier is checked as strictly as the identifier itself.
  const names = [...text.matchAll(/\b[A-Za-z]+(?:[a-z][A-Z]|[a-z]_[a-z])\w*/g)].flatMap((match) =>
    checkFragment({ kind: 'name', text: match[0], line: lineAt(text, match.index, line) }),
  )
  return [...found, ...names.filter((name) => !found.some((other) => other.line === name.line && other.word === name.word))].sort(
    (a, b) => a.line - b.line,
  )
}

function wordsPattern(words: string, flags = 'giu'): RegExp {
  return new RegExp(`(?<![\\p{L}\\d'’])(?:${words.replaceAll(' ', '\\s+')})(?![\\p{L}\\d])`, flags)
}

/** Words of camel, snake and kebab case apart from each other; line breaks stay where they are. */
function spacedWords(text: string): string {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
}

const cleanNames = new Map<string, boolean>()

/** Most names stand in many places, and nearly all are clean. */
function isCleanName(name: string): boolean {
  const cached = cleanNames.get(name)
  if (cached !== undefined) return cached
  const isClean = !ANY_RULE.test(spacedWords(name)) && !PARTICIPLE_TYPES.test(name)
  cleanNames.set(name, isClean)
  return isClean
}

const lineAt = (text: string, index: number, first: number) => first + text.slice(0, index).split('\n').length - 1
