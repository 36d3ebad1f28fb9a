import type { Credentials, TestBackend } from '../../../../test/harness.ts'

export interface StreamedEvent {
  id: string | undefined
  event: string
  data: { id: string; type: string; data: Record<string, unknown> }
}

export interface OpenStream {
  response: Response
  /** The next event; undefined at the end of the stream. Comments are skipped. */
  next(): Promise<StreamedEvent | undefined>
  close(): void
}

/** Opens `GET /v1/events` as a stream over a socket. */
export async function openStream(
  backend: TestBackend,
  { userId: _userId, ...credentials }: Credentials,
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  const closing = new AbortController()
  const response = await fetch(`http://127.0.0.1:${await backend.listen()}/v1/events`, {
    headers: { accept: 'text/event-stream', ...(credentials as Record<string, string>), ...headers },
    signal: closing.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  async function next(): Promise<StreamedEvent | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const frame = text.slice(0, end)
        text = text.slice(end + 2)
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1]
        const event = field('event')
        if (event !== undefined) return { id: field('id'), event, data: JSON.parse(field('data') ?? '') }
        continue
      }
      const part = await reader?.read()
      if (part?.value === undefined) return undefined
      text += part.value
    }
  }
  return { response, next, close: () => closing.abort() }
}
