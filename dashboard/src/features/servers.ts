import type { ServerItem } from '@vedette/shared'
import type { View } from '../app.ts'
import { find, fromTemplate, paragraph } from '../components/elements.ts'
import { serverCard } from './server-card.ts'

const REFRESH_MS = 10_000
/** While nothing is to be seen yet: far below the limit of reads, also with several tabs. */
const IMPATIENT_MS = 3_000
/** What one request gives at most. */
const SHOWN = 100

/** The servers, asked for again and again until another view comes. */
export const watchServers: View = async ({ client, show }, signal) => {
  const list = fromTemplate('servers')
  for (;;) {
    const shown = await client.servers.list({ limit: SHOWN, include: 'metrics' }, { signal }).catch((error: Error) => error)
    if (signal.aborted) return
    if (shown instanceof Error) show(paragraph('error', shown.message))
    else {
      render(list, shown.servers, shown.total)
      show(list)
    }
    const isEmpty = !(shown instanceof Error) && !shown.servers.some(({ metrics }) => metrics)
    await pause(isEmpty ? IMPATIENT_MS : REFRESH_MS, signal)
  }
}

/** The summary and a card each; the agent of this host needs a few seconds to be the first. */
function render(list: HTMLElement, servers: ServerItem[], total: number): void {
  const online = servers.filter(({ status }) => status === 'online').length
  const of = servers.length < total ? `the ${servers.length} newest, ${total} in all,` : `${total}`
  find(list, '[role=status]').textContent = total > 0 ? `${online} of ${of} online` : ''
  const waiting = paragraph('waiting', 'No host has joined yet. This one does within a few seconds …')
  find(list, '.grid').replaceChildren(...(total > 0 ? servers.map(serverCard) : [waiting]))
}

/** Resolves at once when the signal comes. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
