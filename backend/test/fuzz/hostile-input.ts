import fc from 'fast-check'

/** A number (or what looks like one) as the text of a body writes it; JSON.stringify lets it through as it stands. */
// oxlint-disable-next-line no-explicit-any -- the types of the library lag behind the language
const raw = (text: string): unknown => (JSON as any).rawJSON(text)

/** Texts that someone's parser, column, template or shell has fallen over. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'nul\0inside',
  '\ud800',
  'lone\udfffhalf',
  '\ufeffwith a mark',
  '\u202eright to left\u202c',
  'שלום עולם',
  '\u{1f680}'.repeat(64),
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}',
  'e\u0301'.repeat(100),
  'x'.repeat(255),
  'x'.repeat(256),
  '\u{1f4a5}'.repeat(255),
  'x'.repeat(10_000),
  '__proto__',
  'constructor',
  'NaN',
  'null',
  '9007199254740993',
  "'; drop table server; --",
  '{{7*7}}${7*7}<%= 7 %>',
  '<img src=x onerror=alert(1)>',
  '$(reboot)`reboot`',
  '../../../../etc/passwd',
  'line\r\nSet-Cookie: a=b',
  '%00%0d%0a',
  '\\u0000',
  '2026-02-30T00:00:00Z',
  '2016-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
]

/** Pieces of them, one after another and inside of one another. */
export function mixedTexts(): fc.Arbitrary<string> {
  const pieces = fc.constantFrom(
    ...HOSTILE_TEXTS.map((text) => text.slice(0, 40)),
    'a',
    '"',
    '\\',
    "'",
    '\u2028',
    '\x1b[2J',
    '%s',
    '\ufffd',
  )
  return fc
    .array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 4 })), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join(''))
}

const NUMBERS =
  '0 -0 -0.0 -1 0.1 1e-400 1e21 1e300 1e999 -1e999 101 100.000001 2147483647 2147483648 -2147483649 4294967296 ' +
  '9007199254740991 9007199254740992 9007199254740993 9223372036854775807 9223372036854775808 18446744073709551616 ' +
  '123456789012345678901234567890'

export const HOSTILE_NUMBERS: readonly unknown[] = NUMBERS.split(' ').map(raw)

export const HOSTILE_VALUES: readonly unknown[] = [
  ...HOSTILE_TEXTS,
  ...HOSTILE_NUMBERS,
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  Array.from({ length: 70 }, (_, index) => index),
]

/** A body that no JSON.stringify makes; its media type is said to be JSON. */
export const HOSTILE_BODIES: readonly (string | Buffer)[] = [
  '',
  ' ',
  '{',
  '{}{}',
  '{"a":1,}',
  "{'a':1}",
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":01}',
  '\ufeff{}',
  '\ufeff',
  Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.alloc(1_000),
  'null',
  'true',
  '0',
  '"text"',
  '[]',
  '[{}]',
  '{"__proto__":{"role":"owner"}}',
  '{"constructor":{"prototype":{"role":"owner"}}}',
  '{"a":{"__proto__":1}}',
  '{"hostname":"first","hostname":"second","tags":[],"tags":[]}',
  `{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  `{"deep":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
  '['.repeat(100_000),
  `{"wide":[${'0,'.repeat(65_535)}0]}`,
  `{"tags":[${'"a",'.repeat(65_535)}"a"]}`,
  `{"tags":[${Array.from({ length: 65_536 }, (_, index) => `"${index}"`).join()}]}`,
  `{${Array.from({ length: 65_536 }, (_, index) => `"k${index}":1`).join()}}`,
  `{"${'k'.repeat(100_000)}":1}`,
  `{"wide":[${'0,'.repeat(500_000)}0]}`,
  `{"wide":[${'{},'.repeat(300_000)}{}]}`,
  `{"wide":[${'"\\u0000",'.repeat(50_000)}0]}`,
  `"${'x'.repeat(1_048_576)}"`,
]
