/** What the backend knows of a new installation; undefined while it is not known. */
export interface ChecklistFacts {
  servers: number
  /** Whether a server has sent a sample. */
  isSampled: boolean | undefined
  monitors: number
  /** Whether the last test of a channel was delivered. */
  isChannelTested: boolean | undefined
  isExported: boolean
}

export interface ChecklistItem {
  name: 'host' | 'server' | 'monitor' | 'channel' | 'backup'
  isDone: boolean | undefined
}

/** The first steps that somebody with these permissions may do. */
export function checklistItems(
  { servers, isSampled, monitors, isChannelTested, isExported }: ChecklistFacts,
  can: (permission: 'integrations:manage' | 'monitors:create') => boolean,
): ChecklistItem[] {
  const monitor: ChecklistItem[] = can('monitors:create') ? [{ name: 'monitor', isDone: monitors > 0 }] : []
  if (!can('integrations:manage')) return monitor
  return [
    { name: 'host', isDone: isSampled },
    { name: 'server', isDone: servers > 1 },
    ...monitor,
    { name: 'channel', isDone: isChannelTested },
    { name: 'backup', isDone: isExported },
  ]
}
