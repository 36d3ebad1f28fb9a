import type { IncidentListItem } from '@vedette/shared'
import { inViewerZone } from './time.ts'
import { messages } from '../messages/index.ts'

const SHARED_TAG = /^servers with the tag (.+) are offline$/

/** What happened, in one line: of silent servers behind a tag how many they are. */
export function storyTitle({
  summary,
  cause,
  affected,
  opened_at,
}: Pick<IncidentListItem, 'summary' | 'cause' | 'affected' | 'opened_at'>): string {
  const tag = cause?.kind === 'shared_tag' ? SHARED_TAG.exec(cause.text)?.[1] : undefined
  if (tag === undefined || !affected) return inViewerZone(summary, Date.parse(opened_at))
  // Monitors that depend on the servers come first.
  const isOfServers = affected.targets.every(({ type }) => type === 'server')
  return messages.incidents.sharedTag(isOfServers ? affected.total : undefined, tag)
}
