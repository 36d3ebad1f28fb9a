import type { AlertHistoryAnswer, AlertSource } from '@vedette/shared'
import { historyOf, type PastAlert, partsOf, type readSource, type ReportRow, type Tool, TOOLS } from '../moving/index.ts'
import { readAll, type SendRequest } from './api-client.ts'
import { UsageError } from './command.ts'

interface Moving {
  tool: Tool
  files: ReturnType<typeof readSource>
  /** Who manages the alert sources. */
  owner: string
  nowMs: number
  /** Nothing is added. */
  isTrial: boolean
}

const NOT_APPLIED = 'its alert source is not here: apply the plan, and run this again'

/** Adds the alerts that the tool had to the alert sources that its senders became; returns what became of them. Throws UsageError. */
export async function moveHistory(send: SendRequest, { tool, files, owner, nowMs, isTrial }: Moving): Promise<ReportRow[]> {
  if (!tool.history) {
    const others = Object.keys(TOOLS).filter((name) => TOOLS[name]?.history)
    throw new UsageError(`--history knows no alerts of ${tool.title}: ${others.join(', ')} have them`)
  }
  const { alerts, left } = historyOf(tool.history(files), nowMs)
  const sources = await readAll<AlertSource>(send, '/v1/alert-sources', 'alert_sources')
  const rows: ReportRow[] = []
  for (const [ref, own] of alerts) {
    const source = sources.find(({ managed }) => managed?.owner === owner && `alert_source:${managed.ref}` === ref)
    const row = { source: { kind: 'history', id: ref, name: source?.name ?? ref }, becomes: [], changes: [] }
    if (!source) rows.push({ ...row, fidelity: 'refused', reason: `${own.length} alerts: ${NOT_APPLIED}` })
    else if (isTrial)
      rows.push({ ...row, becomes: [ref], fidelity: 'exact', changes: [`${own.length} alerts would come`], reason: null })
    else {
      const answer = { added: 0, present: 0 }
      for (const part of partsOf(own)) {
        const { added, present } = await send<AlertHistoryAnswer>('POST', `/v1/alert-sources/${source.id}/history`, {
          alerts: part,
        })
        answer.added += added
        answer.present += present
      }
      const changes = [`${answer.added} alerts are resolved incidents now, ${answer.present} were there`]
      rows.push({ ...row, becomes: [ref], fidelity: 'exact', changes, reason: null })
    }
  }
  return [...rows, ...leftRows(left)]
}

/** Of alerts that do not come for the same reason the first are named. */
const MAX_NAMED = 100

function leftRows(left: readonly { alert: PastAlert; reason: string }[]): ReportRow[] {
  return [...Map.groupBy(left, ({ reason }) => reason)].flatMap(([reason, all]) => {
    const named = all.slice(0, MAX_NAMED).map(({ alert: { id, title } }) => rowOf(id, title, reason))
    const more = all.length - named.length
    return more === 0 ? named : [...named, rowOf('', `${more} more alerts`, reason)]
  })
}

const rowOf = (id: string, name: string, reason: string): ReportRow => ({
  source: { kind: 'alert', id, name },
  becomes: [],
  fidelity: 'refused',
  changes: [],
  reason,
})
