/** One frame of Server-Sent Events. */
export interface Frame {
  /** Undefined where the frame carries none: then the last one holds. */
  id: string | undefined
  type: string
  data: string
}

/**
 * Reads frames out of text that arrives in pieces (https://html.spec.whatwg.org/multipage/server-sent-events.html). The browser's own
 * reader of such streams can send no header, and the session's token travels in one.
 */
export function createFrameReader(): (piece: string) => Frame[] {
  let rest = ''
  return (piece) => {
    // A line may end in the middle of CR LF; the backend sends LF alone.
    const blocks = (rest + piece.replaceAll('\r\n', '\n')).split('\n\n')
    rest = blocks.pop() ?? ''
    return blocks.flatMap((block) => frameIn(block) ?? [])
  }
}

/** Undefined for a comment, which is there to be heard only, and for a block without data. */
function frameIn(block: string): Frame | undefined {
  const fields = block.split('\n').map((line): [string, string] => {
    const colon = line.indexOf(':')
    return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
  })
  const all = (name: string) => fields.filter(([field]) => field === name).map(([, value]) => value)
  const data = all('data')
  if (data.length === 0) return undefined
  return { id: all('id').at(-1), type: all('event').at(-1) ?? 'message', data: data.join('\n') }
}
