import { randomUUID } from 'node:crypto'
import { createClient } from '@vedette/client'
import type { Page } from 'playwright-core'

const CONTAINERS = 100
const MINUTES = 60
const ROUNDS = 10

type Client = ReturnType<typeof createClient>

/** ms, medians of the rounds. */
export interface ContainerFigures {
  /** From the address in an empty tab to the hundredth row. */
  openMs: number
  /** From the click on the tab of a host to the hundredth row. */
  tabMs: number
}

/** The page of a host with 100 containers that has pushed each minute of an hour. */
export async function containerFigures(client: Client, origin: string, page: Page): Promise<ContainerFigures> {
  const id = await addHost(client, origin)
  const [open, tab]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    open.push(await timeOf(page, () => page.goto(`${origin}/servers/${id}/containers`)))
    await page.goto(`${origin}/servers/${id}`)
    const link = page.getByRole('navigation', { name: 'Parts of the server' }).getByRole('link', { name: 'Containers' })
    await link.waitFor()
    tab.push(await timeOf(page, () => link.click()))
  }
  return { openMs: median(open), tabMs: median(tab) }
}

const median = (values: readonly number[]): number =>
  Math.round(values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN)

async function timeOf(page: Page, act: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await act()
  await page
    .locator('tbody tr')
    .nth(CONTAINERS - 1)
    .waitFor()
  return performance.now() - begin
}

async function addHost(client: Client, origin: string): Promise<string> {
  const { key } = await client.apiKeys.create({ name: 'Docker host', scopes: ['agent'] })
  const { server_id: id } = await createClient({ baseUrl: origin, apiKey: key }).agent.register({
    hostname: 'docker-1',
    os: 'Debian GNU/Linux 13 (trixie)',
    kernel: '6.12.48-amd64',
    arch: 'x64',
    agent_version: '0.1.0',
    machine_id: 'docker-1',
  })
  const endMs = Date.now()
  for (let minute = MINUTES; minute >= 0; minute -= 1) {
    const at = new Date(endMs - minute * 60_000).toISOString()
    const samples = [{ at, cpu: { percent: 20 }, memory: { percent: 40 } }]
    const entities = Array.from({ length: CONTAINERS }, (_, index) => containerAt(index, minute))
    const body = { batch_id: randomUUID(), server_id: id, sent_at: at, agent_version: '0.1.0', samples, entities }
    const response = await fetch(`${origin}/v1/agent/metrics`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`the push was answered ${response.status}: ${await response.text()}`)
  }
  return id
}

const containerAt = (index: number, minute: number): object => ({
  kind: 'container',
  name: `project-${index % 12}/service-${index}`,
  attributes: {
    engine: 'docker',
    image: `registry.example.com/shop:${index}`,
    state: 'running',
    project: `project-${index % 12}`,
  },
  values: {
    cpu_percent: Math.round(100 * ((index * 7 + minute) % 40)) / 100,
    memory_bytes: 1e6 * (50 + index),
    memory_percent: index / 4,
    network_rx_bytes_per_sec: index * 1_000,
    network_tx_bytes_per_sec: index * 500,
    read_bytes_per_sec: 0,
    write_bytes_per_sec: index * 10,
    running: 1,
    restarts: 0,
  },
})
