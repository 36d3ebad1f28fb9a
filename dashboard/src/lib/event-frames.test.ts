import { describe, expect, it } from 'vitest'
import { createFrameReader } from './event-frames.ts'

const STREAM =
  ': vedette\nretry: 2000\n\nid: evt_1\nevent: monitor.down\ndata: {"a":"ü: 1"}\n\n: still here\n\nevent: stream.gap\ndata: one\ndata: two\n\n'
const FRAMES = [
  { id: 'evt_1', type: 'monitor.down', data: '{"a":"ü: 1"}' },
  { id: undefined, type: 'stream.gap', data: 'one\ntwo' },
]

describe('the frame reader', () => {
  it('reads events and ignores comments and retry hints', () => {
    expect(createFrameReader()(STREAM)).toEqual(FRAMES)
  })

  it('reads the same frames from pieces of any size', () => {
    for (let size = 1; size < STREAM.length; size += 1) {
      const read = createFrameReader()
      const pieces = Array.from({ length: Math.ceil(STREAM.length / size) }, (_, index) =>
        STREAM.slice(index * size, (index + 1) * size),
      )
      expect(
        pieces.flatMap((piece) => read(piece)),
        `cut by ${size}`,
      ).toEqual(FRAMES)
    }
  })

  it('returns a frame only after its end', () => {
    const read = createFrameReader()
    expect(read('event: a\ndata: 1\n')).toEqual([])
    expect(read('\n')).toEqual([{ id: undefined, type: 'a', data: '1' }])
  })
})
