import { describe, expect, it } from 'vitest'
import { type MarkdownBlock, type MarkdownPart, parseMarkdown } from './markdown.ts'

const partsIn = (blocks: MarkdownBlock[]): MarkdownPart[] =>
  blocks.flatMap((block) => {
    if (block.type === 'code') return [{ type: 'code' as const, text: block.text }]
    return block.type === 'list' ? block.items.flat() : block.lines.flat()
  })
const textIn = (blocks: MarkdownBlock[]) =>
  partsIn(blocks)
    .map(({ text }) => text)
    .join('')

describe('the Markdown of descriptions', () => {
  it('has links, lists and code', () => {
    const text = [
      'Restart `shop-api`, see [the log](https://logs.example.com/a_(b)?c=d&e=f).',
      'Second line <mailto:ops@example.com>',
      '',
      '1. first',
      '2) second https://example.com/x.',
      '- other list',
      '  goes on',
      '```sh',
      '<b> [a](https://b)',
      '```',
      'End',
    ].join('\n')
    expect(parseMarkdown(text)).toEqual([
      {
        type: 'paragraph',
        lines: [
          [
            { type: 'text', text: 'Restart ' },
            { type: 'code', text: 'shop-api' },
            { type: 'text', text: ', see ' },
            { type: 'link', text: 'the log', url: 'https://logs.example.com/a_(b)?c=d&e=f' },
            { type: 'text', text: '.' },
          ],
          [
            { type: 'text', text: 'Second line ' },
            { type: 'link', text: 'mailto:ops@example.com', url: 'mailto:ops@example.com' },
          ],
        ],
      },
      {
        type: 'list',
        isOrdered: true,
        items: [
          [{ type: 'text', text: 'first' }],
          [
            { type: 'text', text: 'second ' },
            { type: 'link', text: 'https://example.com/x', url: 'https://example.com/x' },
            { type: 'text', text: '.' },
          ],
        ],
      },
      {
        type: 'list',
        isOrdered: false,
        items: [
          [
            { type: 'text', text: 'other list' },
            { type: 'text', text: ' ' },
            { type: 'text', text: 'goes on' },
          ],
        ],
      },
      { type: 'code', text: '<b> [a](https://b)' },
      { type: 'paragraph', lines: [[{ type: 'text', text: 'End' }]] },
    ])
  })

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert`1`)',
    '[x](java\tscript:alert)',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](vbscript:x)',
    '[x](//evil.example)',
    '[x](/v1/monitors)',
    '[x](file:///etc/passwd)',
    '<javascript:alert(1)>',
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '![x](javascript:alert(1))',
    '[x]( javascript:alert(1) )',
    '[x](&#106;avascript:alert(1))',
    '# Heading **bold** | a | b |',
  ])('leaves %j the text that it is', (text) => {
    const blocks = parseMarkdown(text)
    expect(partsIn(blocks).filter(({ type }) => type === 'link')).toEqual([])
    expect(textIn(blocks)).toBe(text)
  })

  it('has no link of another scheme, whatever the text', () => {
    const pieces = [
      '[',
      ']',
      '(',
      ')',
      '<',
      '>',
      '`',
      'javascript:',
      'https://a.b/',
      'mailto:a@b',
      ' ',
      '\n',
      '- ',
      '1. ',
      '```',
      'x',
      '"',
      "'",
      '\\',
      '\u0000',
    ]
    let seed = 7
    const next = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const urls: string[] = []
    for (let run = 0; run < 5_000; run += 1) {
      const text = Array.from({ length: 1 + next(24) }, () => pieces[next(pieces.length)]).join('')
      urls.push(...partsIn(parseMarkdown(text)).flatMap((part) => (part.type === 'link' ? [part.url] : [])))
    }
    expect(urls.length).toBeGreaterThan(1_000)
    expect(urls.filter((url) => !/^(?:https?:\/\/|mailto:)/.test(url))).toEqual([])
  })

  it.each(['[', '`', '<https://', '](', '[a](', '- ', '(', '[a](x(', 'https://a'])(
    'reads 4,000 characters of %j in less than 50 ms of CPU',
    (piece) => {
      const text = piece.repeat(4_000).slice(0, 4_000)
      parseMarkdown(text)
      const before = process.cpuUsage()
      parseMarkdown(text)
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1_000).toBeLessThan(50)
    },
  )
})
