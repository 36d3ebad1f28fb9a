import { expect, test } from 'vitest'
import { lastLines } from './log-lines.ts'

function frame(stream: number, text: string): Buffer {
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0])
  header.writeUInt32BE(Buffer.byteLength(text), 4)
  return Buffer.concat([header, Buffer.from(text)])
}

test('frames are joined, of both streams in their order', () => {
  const body = Buffer.concat([frame(1, 'one\ntw'), frame(1, 'o\n'), frame(2, 'three\n')])
  expect(lastLines(body, 20)).toEqual(['one', 'two', 'three'])
  expect(lastLines(body, 2)).toEqual(['two', 'three'])
})

test('the output of a terminal has no frames, colours and controls', () => {
  const text = '\x1b[31mred\x1b[0m\r\n\x1b]0;title\x07plain\ttab\x00\x9b\r\n\r\n'
  expect(lastLines(Buffer.from(text), 20)).toEqual(['red', 'plain\ttab'])
})

test('a cut frame, a false length and halves of characters are no fault', () => {
  expect(lastLines(frame(1, 'whole\npart').subarray(0, 15), 20)).toEqual(['whole', 'p'])
  const endless = frame(1, 'x\n')
  endless.writeUInt32BE(0xff_ff_ff_ff, 4)
  expect(lastLines(endless, 20)).toEqual(['x'])
  expect(lastLines(Buffer.from([0xf0, 0x9f, 0x98]), 20)).toEqual(['�'])
  expect(lastLines(Buffer.alloc(0), 20)).toEqual([])
  expect(lastLines(Buffer.from('y'.repeat(600)), 20)[0]).toHaveLength(512)
})

test('the error of Podman about a removed container is no line', () => {
  const answer = '{"cause":"no such container","message":"failed to obtain logs for Container","response":500}\n'
  expect(lastLines(Buffer.from(answer), 20)).toEqual([])
})
