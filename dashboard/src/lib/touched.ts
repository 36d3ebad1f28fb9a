/** The beginning of keys of queries, without the organization. `isExact`: that key alone. */
export interface Touched {
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

/** What of the page an event may have changed; undefined: nobody can say, so all of it. What is not shown now is read when it is. */
export function touchedBy(type: string, data: Data): readonly Touched[] | undefined {
  if (type === 'stream.gap') return undefined
  if (type.startsWith('incident.')) return ofIncident(data['incident'])
  if (type.startsWith('monitor.')) return ofMonitor(data['monitor'])
  if (type === 'server.offline' || type === 'server.online') return ofServer(data['server'])
  if (type.startsWith('member.')) return [{ key: ['members'] }, { key: ['invitations'] }]
  if (type === 'certificate.expiring') return idIn(data['monitor']).map((id) => ({ key: ['monitors', id], isExact: true }))
  return []
}

function ofIncident(incident: unknown): Touched[] {
  return [
    { key: ['incidents', 'list'] },
    { key: ['incidents', 'open'] },
    { key: ['summary'] },
    ...idIn(incident).map((id) => ({ key: ['incidents', id] })),
  ]
}

function ofServer(server: unknown): Touched[] {
  return [
    { key: ['servers', 'list'] },
    { key: ['summary'] },
    ...idIn(server).map((id) => ({ key: ['servers', id], isExact: true as const })),
  ]
}

function ofMonitor(monitor: unknown): Touched[] {
  const own = idIn(monitor).flatMap((id): Touched[] => [
    { key: ['monitors', id], isExact: true },
    { key: ['monitors', id, 'transitions'] },
  ])
  return [{ key: ['monitors', 'list'] }, { key: ['summary'] }, ...own]
}
