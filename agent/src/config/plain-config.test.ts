import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPlainConfig } from './plain-config.ts'
import { readYaml } from './config.ts'

test('simple YAML is read without the library', () => {
  const source =
    '# ours\n\nurl: https://v.example.com:8080/a # here\ntags: [web, "eu 1", 7]\nallow_http: true\nlog_file: \'/a b\'\n'
  expect(readPlainConfig(source)).toEqual([
    { name: 'url', line: 3, value: 'https://v.example.com:8080/a' },
    { name: 'tags', line: 4, value: ['web', 'eu 1', 7] },
    { name: 'allow_http', line: 5, value: true },
    { name: 'log_file', line: 6, value: '/a b' },
  ])
})

test.each([
  'a: b\na: c',
  'a: |\n  b',
  'a:\n  - b',
  ' a: b',
  'a: b\n c',
  'a: True',
  'a: 010',
  'a: 1e3',
  'a: "\\n"',
  'a: *b',
  'a: &b c',
  'a: b:',
  'a: b: c',
  'a: [b, c',
  'a: []',
  'a:',
  'a:b',
  'a: b\r',
  'a: "b" c',
  'a: [b: c]',
  'null: a',
  'true: a',
  '---\na: b',
])('%j is left to the library', (source) => expect(readPlainConfig(source)).toBeUndefined())

const piece = fc.oneof(
  fc.constantFrom(
    'url',
    'a',
    ': ',
    ' ',
    '\n',
    '#',
    ' #',
    '"',
    "'",
    '[',
    ']',
    ', ',
    ',',
    'true',
    'null',
    'No',
    '7',
    '0x1',
    '1:30',
    '-',
    '- ',
  ),
  fc.constantFrom(
    'https://x:1',
    ':',
    '.',
    '.inf',
    '~',
    '!',
    '&',
    '*',
    '{',
    '}',
    '|',
    '>',
    '%',
    '@',
    '`',
    '\t',
    '\r',
    '\\',
    '?',
    '/',
    '=',
    '<<',
  ),
  fc.string({ maxLength: 4 }),
)
const line = fc
  .tuple(fc.constantFrom('url', 'tags', 'a_b'), fc.array(piece, { maxLength: 6 }))
  .map(([name, rest]) => `${name}: ${rest.join('')}`)

test('the simple reader returns what the library returns, or undefined', async () => {
  const texts = fc.oneof(
    fc.array(line, { maxLength: 3 }).map((lines) => lines.join('\n')),
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  )
  await fc.assert(
    fc.asyncProperty(texts, async (source) => {
      const plain = readPlainConfig(source)
      // What it leaves to the library may be no YAML at all.
      expect(plain).toEqual(plain && (await readYaml(source, 'a.yaml')))
    }),
    { numRuns: 3_000 },
  )
})
