/** A frame of Server-Sent Events. */
export interface Frame {
  /** Undefined without an id: the last one stays valid. */
  id: string | undefined
  type: string
  data: string
}

/**
 * Parses frames from text that arrives in pieces (https://html.spec.whatwg.org/multipage/server-sent-events.html). The EventSource of
 * the browser cannot send the session token, which is a header.
 */
export function createFrameReader(): (piece: string) => Frame[] {
  let rest = ''
  return (piece) => {
    // The backend sends LF only; proxies may send CR LF.
    const blocks = (rest + piece.replaceAll('\r\n', '\n')).split('\n\n')
    rest = blocks.pop() ?? ''
    return blocks.flatMap((block) => frameIn(block) ?? [])
  }
}

/** Undefined for comments and for blocks without data. */
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
