import type { ServerItem } from '@vedette/shared'
import { find, fromTemplate } from '../components/elements.ts'
import { ago, bytes, cores, count, known, load, percent, rate } from '../format.ts'

/** A line of a card; `share` where there is a whole, in percent of it. */
interface Row {
  name: string
  text: string
  share?: number | null | undefined
}

function rowsOf({ cpu, memory, disk, network, tcp }: NonNullable<ServerItem['metrics']>): Row[] {
  const used = `${known(memory?.used_bytes, bytes)} of ${known(memory?.total_bytes, bytes)}`
  return [
    { name: 'CPU', text: `${percent(cpu?.percent)} of ${cores(cpu?.cores)}`, share: cpu?.percent },
    { name: 'Memory', text: `${percent(memory?.percent)} · ${used}`, share: memory?.percent },
    { name: 'Fullest disk', text: percent(disk?.usage_percent), share: disk?.usage_percent },
    { name: 'Load', text: [cpu?.load_1, cpu?.load_5, cpu?.load_15].map(load).join(' · ') },
    { name: 'Disk read · write', text: `${rate(disk?.read_throughput_bps)} · ${rate(disk?.write_throughput_bps)}` },
    { name: 'Network in · out', text: `${rate(network?.rx_bytes_per_sec)} · ${rate(network?.tx_bytes_per_sec)}` },
    { name: 'TCP established', text: count(tcp?.established ?? network?.active_connections) },
  ]
}

/** From here on a bar is coloured as a warning, and as full. */
const HIGH_PERCENT = 75
const FULL_PERCENT = 90

function rowOf({ name, text, share }: Row): HTMLElement {
  const row = fromTemplate('meter')
  find(row, 'dt').textContent = name
  find(row, 'dd').textContent = text
  const bar = find(row, '.bar')
  if (typeof share !== 'number') {
    row.classList.remove('meter')
    bar.remove()
    return row
  }
  // Through the object model: the content security policy takes no style from markup.
  bar.style.setProperty('--share', `${share}%`)
  if (share >= FULL_PERCENT) row.classList.add('full')
  else if (share >= HIGH_PERCENT) row.classList.add('high')
  return row
}

/** One server with its newest sample. */
export function serverCard(server: ServerItem): HTMLElement {
  const card = fromTemplate('server')
  const set = (name: string, text: string) => {
    find(card, `[data-field=${name}]`).textContent = text
  }
  const { metrics, last_seen_at, registered_at } = server
  card.classList.toggle('online', server.status === 'online')
  set('hostname', server.display_name ?? server.hostname)
  set('status', server.status)
  set('facts', `${server.os} · ${server.kernel} · agent ${server.agent_version}`)
  const now = Date.now()
  set('seen', metrics ? `Last seen ${ago(last_seen_at, now)}` : `Registered ${ago(registered_at, now)}; no sample yet`)
  find(card, 'dl').append(...(metrics ? rowsOf(metrics) : []).map(rowOf))
  return card
}
