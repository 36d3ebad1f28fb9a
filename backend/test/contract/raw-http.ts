import { connect } from 'node:net'
import type { Answer } from '../answer.ts'

/** What raw bytes are answered until the connection is closed: one answer for each request that they hold. */
export async function exchangeRaw(port: number, bytes: Buffer | string, patienceMs = 10_000): Promise<Answer[]> {
  const text = await new Promise<string>((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    // What is no whole request waits for the rest, which does not come.
    socket.setTimeout(patienceMs, () => socket.destroy())
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((part) => part !== '')
    .map(toAnswer)
}

function toAnswer(text: string): Answer {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => line.split(': ')).map(([name = '', value]) => [name.toLowerCase(), value]),
  )
  return { status: Number(first.split(' ')[1]), headers, body: body === '' ? undefined : JSON.parse(body) }
}
