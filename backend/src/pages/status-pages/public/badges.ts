import { FIGURE_PERIODS, type FigurePeriod } from '../reading/model.ts'
import type { BadgeKind, BadgeRequest } from '../render/badge.ts'

export interface Badge extends Omit<BadgeRequest, 'label'> {
  monitorId: string
}

// Ours; those of Uptime Kuma, whose default period is a day and whose plain numbers are hours; and those of Gatus.
const OWN = /^\/badge\/([^/]+)\/(status|uptime|response)\.svg$/
const KUMA = /^\/api\/badge\/([^/]+)\/(status|uptime|ping)(?:\/([^/]+))?$/
const GATUS = /^\/api\/v1\/endpoints\/([^/]+)\/(health|uptimes\/([^/]+)|response-times\/([^/]+))\/badge\.svg$/

const periodOf = (text: string | null | undefined): FigurePeriod | undefined => {
  const name = text ?? '24h'
  return FIGURE_PERIODS.find((period) => period === name || (/^\d+$/.test(name) && period === `${name}h`))
}

/** The badge of an address; undefined where there is none. */
export function parseBadge(path: string, period: string | null): Badge | undefined {
  const badge = (monitorId: string | undefined, kind: BadgeKind, text: string | null | undefined): Badge | undefined => {
    const known = periodOf(text)
    return known && monitorId !== undefined ? { monitorId, kind, period: known } : undefined
  }
  const own = OWN.exec(path)
  if (own) return badge(own[1], own[2] as BadgeKind, period)
  const kuma = KUMA.exec(path)
  if (kuma) return badge(kuma[1], kuma[2] === 'ping' ? 'response' : (kuma[2] as BadgeKind), kuma[3])
  const gatus = GATUS.exec(path)
  if (!gatus) return undefined
  if (gatus[2] === 'health') return badge(gatus[1], 'status', undefined)
  return badge(gatus[1], gatus[3] === undefined ? 'response' : 'uptime', gatus[3] ?? gatus[4])
}
