import { describe, lineOf } from '../../alert.ts'
import type { ReceivedAlert } from '../format.ts'

const PLAIN = { tags: [], tag_labels: [], group_by: [], routes: [] }
const MAX_BY_BYTES = 200

/** What is kept of an alert. */
export function bounded(alert: ReceivedAlert): ReceivedAlert {
  const { external, summary, text } = describe(PLAIN, alert)
  const by = lineOf(alert.by ?? '', MAX_BY_BYTES) || null
  return { ...alert, title: summary, text, labels: external.labels, url: external.url, by }
}
