import type { Reclassification } from '@vedette/shared'
import { actorName } from '../lib/person.ts'
import { fullDate } from '../lib/time.ts'
import { messages } from '../messages/index.ts'

/** Says whose word the figures of a time follow. */
export default function ReclassifiedNote({ intervals }: { intervals: readonly Reclassification[] }) {
  const counts = new Map<string, { said: [name: string, day: string]; count: number }>()
  for (const { created_by: by, created_at: at } of intervals) {
    const said: [string, string] = [actorName(by, messages.unknown), fullDate(Date.parse(at))]
    const key = said.join(' ')
    counts.set(key, { said, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  const texts = [...counts.values()].map(({ said, count }) => messages.monitors.transitions.said(count, ...said))
  return <p className="text-soft">{texts.join(' · ')}</p>
}
