import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LANGUAGES } from './language.ts'
import { de } from './de.ts'
import { en } from './en.ts'

type Texts = ReadonlyMap<string, unknown>

/** Each text by its path, such as `nav.signOut`. */
function textsOf(value: object, path: readonly string[] = []): Texts {
  return new Map(
    Object.entries(value).flatMap(([name, text]: [string, unknown]) =>
      typeof text === 'object' && text !== null
        ? [...textsOf(text, [...path, name])]
        : [[[...path, name].join('.'), text] as const],
    ),
  )
}

/** Texts that some pages load: the files next to `index.ts` that load a language, with the name of what they have. English has no kinds, facts and options of the network. */
const PARTS = globSync('*.ts', { cwd: import.meta.dirname })
  .filter((file) => !['index.ts', 'kinds.ts', 'facts.ts', 'network-options.ts'].includes(file))
  .flatMap((file) => {
    const [, name] =
      /^export const (\w+).* = await LOADERS\[language\]\(\)$/m.exec(readFileSync(join(import.meta.dirname, file), 'utf8')) ?? []
    return name === undefined ? [] : [{ file: file.slice(0, -'.ts'.length), name }]
  })

async function allOf(language: 'en' | 'de', main: object): Promise<Texts> {
  const parts = PARTS.map(async ({ file, name }) => [name, (await import(`./${language}/${file}.ts`))[name]] as const)
  return textsOf({ ...main, ...Object.fromEntries(await Promise.all(parts)) })
}

const ENGLISH = await allOf('en', en)
const TRANSLATED: Readonly<Record<string, Texts>> = { de: await allOf('de', de) }

/** A text with markers as its values, of which it has to show the same ones in each language. */
function placeholdersOf(text: unknown): string[] {
  if (typeof text !== 'function') return []
  const markers = Array.from({ length: text.length }, (_, index) => `<${index}>`)
  const shown = (text as (...values: string[]) => string)(...markers)
  return markers.filter((marker) => shown.includes(marker))
}

/** The paths that the files of the page name, a group for all its texts. */
function usedPaths(): Set<string> {
  const folder = join(import.meta.dirname, '..')
  const used = new Set<string>()
  for (const file of globSync('**/*.{ts,tsx}', { cwd: folder })) {
    if (file.startsWith('messages/') || file.includes('.test.')) continue
    let code = readFileSync(join(folder, file), 'utf8')
    const names = new Map([['messages', ''], ...PARTS.map(({ name }) => [name, `.${name}`] as const)])
    for (const [, name, alias = ''] of code.matchAll(/import \{ (\w+) as (\w+) \} from '[^']*\/messages\//g))
      names.set(alias, `.${name}`)
    const declare = (pattern: RegExp, add: (match: RegExpExecArray, path: string) => void) => {
      for (const match of code.matchAll(pattern)) {
        const parent = names.get(match[2] ?? '')
        if (parent !== undefined) add(match, parent + (match[3] ?? ''))
      }
      code = code.replaceAll(pattern, (whole, _1, name: string) => (names.has(name) ? '' : whole))
    }
    declare(/\bconst (\w+)(?:: [^=\n]+)? = (\w+)((?:\.\w+)*)(?=\n)/g, ([, name = ''], path) => names.set(name, path))
    declare(/\bconst \{([^}]+)\} = (\w+)((?:\.\w+)*)(?=\n)/g, ([, list = ''], path) => {
      for (const [, key, name] of list.matchAll(/(\w+)(?:: (\w+))?/g)) {
        names.set(name ?? key ?? '', `${path}.${key}`)
        if (ENGLISH.has(`${path}.${key}`.slice(1))) used.add(`${path}.${key}`.slice(1))
      }
    })
    for (const [name, path] of names)
      for (const [, rest = ''] of code.matchAll(new RegExp(`(?<![\\w.'"])${name}((?:\\??\\.\\w+)+|(?=[[),}]))`, 'g')))
        used.add((path + rest.replaceAll('?', '')).slice(1))
  }
  return used
}

describe('messages', () => {
  it.each(Object.keys(TRANSLATED))('in %s are those of the English ones', (language) => {
    expect([...(TRANSLATED[language]?.keys() ?? [])].toSorted()).toEqual([...ENGLISH.keys()].toSorted())
    expect(Object.keys(LANGUAGES).toSorted()).toEqual(['en', ...Object.keys(TRANSLATED)].toSorted())
  })

  it.each(Object.keys(TRANSLATED))('in %s show the same values as the English ones', (language) => {
    const differing = [...ENGLISH]
      .map(([path, text]) => [path, placeholdersOf(text), placeholdersOf(TRANSLATED[language]?.get(path))] as const)
      .filter(([, english, translated]) => english.join() !== translated.join())
    expect(differing).toEqual([])
  })

  it('are all used', () => {
    const used = usedPaths()
    const isUsed = (path: string) => path.split('.').some((_, index, names) => used.has(names.slice(0, index + 1).join('.')))
    expect([...ENGLISH.keys()].filter((path) => !isUsed(path))).toEqual([])
  })
})
