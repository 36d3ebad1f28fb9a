import { expect, it } from 'vitest'
import { logoFault } from './logo.ts'

const uri = (type: string, content: string | Buffer) =>
  `data:image/${type};base64,${Buffer.from(content as string).toString('base64')}`
const bytes = (...values: number[]) => Buffer.from([...values, 0, 0, 0, 0])
const PNG = bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const JPEG = bytes(0xff, 0xd8, 0xff, 0xe0)
const WEBP = Buffer.from('RIFF\u0000\u0000\u0000\u0000WEBPVP8 ')
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><circle r="2"/></svg>'

it.each([
  ['png', PNG],
  ['jpeg', JPEG],
  ['webp', WEBP],
  ['gif', Buffer.from('GIF89a....')],
  ['svg+xml', SVG],
  [
    'svg+xml',
    `\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by a program -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">\n${SVG}`,
  ],
])('a logo may be %s with its own content', (type, content) => {
  expect(logoFault(uri(type, content))).toBeUndefined()
})

it.each([
  ['png', JPEG],
  ['jpeg', PNG],
  ['png', Buffer.from(SVG)],
  ['gif', Buffer.from('<html><script>alert(1)</script>')],
  ['webp', Buffer.from('RIFF....WAVE')],
  ['png', Buffer.alloc(0)],
  ['svg+xml', '<html><svg></svg></html>'],
  ['svg+xml', 'AAAA'],
  ['svg+xml', Buffer.from([0xff, 0xfe, 0x3c, 0x00])],
])('a logo that is named %s must be one', (type, content) => {
  expect(logoFault(uri(type, content))).toContain('of the type')
})

it.each([
  '<svg><script>alert(1)</script></svg>',
  '<svg><svg:script xmlns:svg="http://www.w3.org/2000/svg">alert(1)</svg:script></svg>',
  '<svg onload="alert(1)"></svg>',
  '<svg><a href="javascript:alert(1)"><text>x</text></a></svg>',
  '<svg><foreignObject><body/></foreignObject></svg>',
  '<!DOCTYPE svg>\n<svg><!ENTITY a "aaaa"></svg>',
])('an SVG must not be active: %s', (content) => {
  expect(logoFault(uri('svg+xml', content))).toContain('without scripts')
})
