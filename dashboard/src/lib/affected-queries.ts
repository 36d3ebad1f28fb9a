/** The prefix of query keys, without the organization. `isExact`: only this key. */
export interface AffectedQuery {
  key: readonly string[]
  isExact?: true
}

type Data = Readonly<Record<string, unknown>>

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Data)[name] : undefined
const idIn = (value: unknown): string[] => {
  const id = field(value, 'id')
  return typeof id === 'string' ? [id] : []
}

/** The queries whose answers an event may have changed; undefined: all of them. */
export function affectedQueries(type: string, data: Data): readonly AffectedQuery[] | undefined {
  if (type === 'stream.gap') return undefined
  if (type.startsWith('incident.')) return ofIncident(data['incident'])
  if (type.startsWith('monitor.')) return ofMonitor(data['monitor'])
  if (type.startsWith('server.')) return ofServer(data['server'])
  if (type.startsWith('member.')) return [{ key: ['members'] }, { key: ['invitations'] }]
  if (type === 'certificate.expiring') return idIn(data['monitor']).map((id) => ({ key: ['monitors', id], isExact: true }))
  return []
}

function ofIncident(incident: unknown): AffectedQuery[] {
  return [
    { key: ['incidents', 'list'] },
    { key: ['incidents', 'open'] },
    // The parts and the line of time of a story that is on display.
    { key: ['incidents', 'story'] },
    { key: ['overview'] },
    ...idIn(incident).map((id) => ({ key: ['incidents', id] })),
  ]
}

function ofServer(server: unknown): AffectedQuery[] {
  return [
    { key: ['servers', 'list'] },
    { key: ['overview'] },
    ...idIn(server).map((id) => ({ key: ['servers', id], isExact: true as const })),
  ]
}

function ofMonitor(monitor: unknown): AffectedQuery[] {
  const own = idIn(monitor).flatMap((id): AffectedQuery[] => [
    { key: ['monitors', id], isExact: true },
    { key: ['monitors', id, 'transitions'] },
  ])
  return [{ key: ['monitors', 'list'] }, { key: ['overview'] }, ...own]
}
