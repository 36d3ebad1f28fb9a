import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRequest } from '../api-client.ts'
import type { Call, CommandContext } from '../command.ts'

const REFUSAL = JSON.stringify({ error: { code: 'rate_limited', message: 'Too many requests.' } })

/** What a command gets from an installation that refuses so many requests for coming too early, and how often it sends. */
async function sendTo(refusals: number): Promise<{ sent: number; answer: unknown }> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-client-'))
  writeFileSync(join(folder, 'key'), 'key\n')
  let sent = 0
  const server = createServer((_request, response) => {
    sent += 1
    if (sent <= refusals) response.writeHead(429, { 'retry-after': '0' }).end(REFUSAL)
    else response.end('{"ok":true}')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const call = { parameters: {}, options: { url, 'key-file': join(folder, 'key') } } as unknown as Call
    const send = createRequest(call, { environment: {} } as CommandContext)
    const answer = await send('POST', '/v1/alert-sources').catch((error: Error) => error.message)
    return { sent, answer }
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  }
}

it('a command sends again what came too early, at most five times', async () => {
  expect(await sendTo(2)).toEqual({ sent: 3, answer: { ok: true } })
  expect(await sendTo(6)).toEqual({ sent: 6, answer: 'Too many requests.' })
})
