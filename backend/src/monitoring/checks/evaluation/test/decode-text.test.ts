import { describe, expect, test } from 'vitest'
import { decodeText } from '../decode-text.ts'

/** A word in a charset, its bytes written apart from what decodes them. */
const WORDS: readonly [label: string, hex: string, word: string][] = [
  ['gbk', 'd5fdb3a3', '正常'],
  ['GB2312', 'd5fdb3a3', '正常'],
  ['gb18030', 'd5fdb3a3', '正常'],
  ['big5', 'a5bfb160', '正常'],
  ['Shift_JIS', '90b38fed', '正常'],
  ['x-sjis', '90b38fed', '正常'],
  ['EUC-JP', 'c0b5beef', '正常'],
  ['ISO-2022-JP', '1b244240353e6f1b2842', '正常'],
  ['euc-kr', 'c1a4bbf3', '정상'],
  ['windows-1251', 'cdeef0ece0', 'Норма'],
  ['cp1251', 'cdeef0ece0', 'Норма'],
  ['koi8-r', 'eecfd2cdc1', 'Норма'],
  ['koi8-u', 'eecfd2cdc1', 'Норма'],
  ['ibm866', '8daee0aca0', 'Норма'],
  ['iso-8859-5', 'bddee0dcd0', 'Норма'],
  ['windows-1252', '80e9', '€é'],
  ['iso-8859-1', '80e9', '€é'],
  ['iso-8859-2', 'b3f3', 'łó'],
  ['windows-1250', 'b3f3', 'łó'],
  ['iso-8859-7', 'cacdeb', 'ΚΝλ'],
  ['windows-1253', 'cacdeb', 'ΚΝλ'],
  ['windows-1254', 'fef0', 'şğ'],
  ['windows-1255', 'f9ec', 'של'],
  ['windows-1256', 'e3d1', 'مر'],
  ['iso-8859-15', 'a4', '€'],
  ['windows-874', 'a1a2', 'กข'],
  ['windows-1258', 'd0f0', 'Đđ'],
  ['macintosh', '8e', 'é'],
  ['utf-8', 'e6ada3', '正'],
]

const bytesOf = (before: string, hex = '', after = '') =>
  Buffer.concat([Buffer.from(before, 'latin1'), Buffer.from(hex, 'hex'), Buffer.from(after, 'latin1')])

describe.each(WORDS)('a body in %s', (label, hex, word) => {
  test('is read by its content type and by its document', () => {
    expect(decodeText(bytesOf('<p>', hex), `text/html; charset=${label}`)).toBe(`<p>${word}`)
    expect(decodeText(bytesOf('', hex), `text/plain;charset="${label}"`)).toBe(word)
    expect(decodeText(bytesOf(`<!DOCTYPE html><meta charset="${label}"><p>`, hex), 'text/html')).toContain(`<p>${word}`)
    expect(decodeText(bytesOf(`<?xml version="1.0" encoding="${label}"?><a>`, hex), 'application/xml')).toContain(`<a>${word}`)
  })
})

const GBK = 'd5fdb3a3'

test.each([
  ['<meta charset=gbk>', true],
  ["<META CharSet = 'GBK' >", true],
  ['<meta/charset="gbk"/>', true],
  ['<meta name=x charset="gbk">', true],
  ['<meta http-equiv="Content-Type" content="text/html; charset=gbk">', true],
  ["<meta content='text/html;charset=gbk' http-equiv=content-type>", true],
  [`<meta http-equiv="Content-Type" content="text/html; charset='gbk'">`, true],
  ['<html lang="zh"><head>\n<title>a > b</title>\n<meta charset="gbk">', true],
  ['<a title="<meta charset=big5>"><meta charset="gbk">', true],
  ['<!-- <meta charset="big5"> --><meta charset="gbk">', true],
  ['<!--><meta charset="gbk">', true],
  ['<a href=x"><meta charset="gbk">', true],
  ['<meta charset="nonsense"><meta charset="gbk">', true],
  [`<script>${'x'.repeat(2_000)}</script><meta charset="gbk">`, true],
  ['<meta charset="gbk"><meta charset="big5">', true],
  ['<?xml version="1.0" encoding=\'gbk\'?><html>', true],
  ['<!-- <meta charset="gbk"> -->', false],
  ['<!-- <meta charset="gbk">', false],
  ['<a title="<meta charset=gbk>">', false],
  ['<metadata charset="gbk">', false],
  ['<meta name="description" content="text/html; charset=gbk">', false],
  ['<meta data-charset="gbk">', false],
  ['meta charset=gbk', false],
  ['<meta charset="utf-16le">', false],
  [`${' '.repeat(5_000)}<meta charset="gbk">`, false],
])('a document that begins with %j names its charset: %s', (before, isNamed) => {
  const text = decodeText(bytesOf(`${before}<p>`, GBK, '</p>'), 'text/html')
  expect(text.endsWith('<p>正常</p>')).toBe(isNamed)
  expect(decodeText(bytesOf(`${before}<p>`, GBK, '</p>'), undefined)).toBe(text)
})

test.each([
  ['text/html; charset=utf-8', '<meta charset="gbk">', false],
  ['text/html; charset=nonsense', '<meta charset="gbk">', true],
  ['text/html; charset=', '<meta charset="gbk">', true],
  ['text/html, text/html; charset=gbk, text/html', '', true],
  ['application/xhtml+xml', '<meta charset="gbk"/>', true],
  ['application/rss+xml', '<?xml version="1.0" encoding="gbk"?>', true],
  ['text/xml', '<?xml version="1.0" encoding="gbk"?>', true],
  ['text/xml', '<meta charset="gbk">', false],
  ['text/plain', '<meta charset="gbk">', false],
  ['application/json', '<meta charset="gbk">', false],
])('a content type of %s with %j means GBK: %s', (type, before, isGbk) => {
  expect(decodeText(bytesOf(`${before}<p>`, GBK), type).endsWith('<p>正常')).toBe(isGbk)
})

test('a byte order mark goes before all that is written', () => {
  const before = '\xef\xbb\xbf<meta charset="gbk">'
  expect(decodeText(bytesOf(before, 'e6ada3'), 'text/html; charset=gbk')).toBe('<meta charset="gbk">正')
})

test.each(['<a ', '<meta ', '<a "', '<!--', '<meta charset=x>', "<a x='<", '"<b', '<meta a=" ', "<meta '"])(
  'a document of many %j is read without backtracking over it',
  (piece) => {
    const body = Buffer.from(piece.repeat(1_000))
    const before = process.cpuUsage()
    for (let times = 0; times < 10; times++) decodeText(body, 'text/html')
    // It takes some milliseconds, and many seconds with a pattern that backtracks.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
  },
)
