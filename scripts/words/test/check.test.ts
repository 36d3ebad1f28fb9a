import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { checkedFiles, checkText } from '../check.ts'
import { WORD_RULES } from '../list.ts'

const words = (path: string, text: string) => checkText(path, text).map(({ line, word }) => `${line} ${word.toLowerCase()}`)

describe('a listed word is found', () => {
  test.each([
    ['in a line comment', '// The client is told why.', '1 told'],
    ['in a phrase that runs over two line comments', 'const a = 1\n// Hours are put\n// together later.\n', '2 put\n together'],
    ['in a docstring', '/**\n * Refused,\n * whoever sends it.\n */\nexport const a = 1', '3 whoever'],
    ['in a string', "const a = 'the batch is refused unread'", '1 refused unread'],
    ['in a piece of a template', 'const a = `${b}\nis sent anew`', '2 anew'],
    ['in a string that is a name', "const a = 'telling.given_up'", '1 telling'],
    ['in an identifier of camel case', 'const b = { toldAt: 1 }', '1 told'],
    ['in a private name', 'class A {\n  #nextLook = 1\n}', '2 look'],
    ['in a type that is named by a participle', 'interface Known {\n  a: 1\n}', '1 known'],
    ['in a column of a statement', 'sql`SELECT told_channel_ids FROM incident`', '1 told'],
    ['in the title of a test', "it('judges nothing', () => undefined)", '1 judges'],
  ])('%s', (_, source, expected) => {
    expect(words('backend/src/a.ts', source)).toEqual([expected])
  })

  test('in the text and the attributes of a page', () => {
    const source = 'export const a = (\n  <p title="the one before">\n    Tells it by and by\n  </p>\n)\n'
    expect(words('dashboard/src/a.tsx', source)).toEqual(['2 the one before', '3 tells', '3 by and by'])
  })

  test('in Markdown, also as a name that only names may not be', () => {
    expect(words('docs/a.md', '# Keys\n\nIt lacks a name; see `lookAgain`.\n')).toEqual(['3 lacks', '3 look'])
  })

  test('in the path of a file', () => {
    expect(words('dashboard/src/features/way-in/form.tsx', 'export {}')).toEqual(['1 way in'])
  })

  test('with the word that replaces it', () => {
    expect(checkText('a.md', 'It is sealed.')).toEqual([
      { path: 'a.md', line: 1, word: 'sealed', use: expect.stringContaining('encrypt') },
    ])
  })

  test('by each rule of the list', () => {
    const examples =
      'tellings told tells judged verdict asker askFor anew whoever presumed put-hours-together beside so-long by-and-by lacks ' +
      'refused-unread resealed the-one-before strangers happenings wayIn nextLook forgetAll wishOf standingOf wordsOf door ' +
      'keepOnce gatherAll'
    const found = new Set(examples.split(' ').flatMap((name) => checkText(name, '').map(({ use }) => use)))
    expect(WORD_RULES.filter(({ use }) => !found.has(use))).toEqual([])
    expect(examples.split(' ')).toHaveLength(WORD_RULES.length)
  })
})

describe('normal English passes', () => {
  test.each([
    'Forgot your password? Look it up.',
    'The page asks for a name.',
    'The rest of the parts are kept on the way in which they came.',
    'It takes so long that the client gives up; retelling and outdoors are other words.',
    "The store's standing order is the gate.",
  ])('%s', (text) => {
    expect(words('docs/a.md', text)).toEqual([])
  })

  test('also as identifiers', () => {
    expect(words('a.ts', 'const placeholder = lookUp(threshold, retold, untellable, knownHosts)')).toEqual([])
  })
})

describe('check-words.ts', () => {
  const root = mkdtempSync(join(tmpdir(), 'words-'))
  afterAll(() => rmSync(root, { recursive: true }))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  put('docs/a.md', 'It is\ntold.\n')
  put('backend/fixtures/a.md', 'told')
  put('node_modules/a.md', 'told')
  put('.gitignore', 'node_modules\n')
  put('a.png', 'told')
  execFileSync('git', ['init', '-q'], { cwd: root })
  const run = (...args: string[]) => {
    const script = join(import.meta.dirname, '../../check-words.ts')
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--root', root, ...args], { encoding: 'utf8' })
    return { status, stdout, stderr }
  }

  test('reads what people write and git does not ignore', () => {
    expect(checkedFiles(root)).toEqual(['docs/a.md'])
  })

  test('fails with path, line, word and replacement', () => {
    const { status, stdout, stderr } = run('docs')
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: 'words: 1 refused\n',
      stderr: 'docs/a.md:2 "told": use notified, reported, stated\n',
    })
  })
})
