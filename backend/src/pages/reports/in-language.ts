import type { UptimeReport } from '@vedette/shared'
import { type Language, translate } from '../../platform/language/index.ts'

/** So many take some milliseconds. */
const AT_ONCE = 200

/**
 * A report with the reasons of its downtimes in a language: there may be 100,000, so each text is translated once, and `rest` is called
 * now and then for other work.
 */
export async function reportInLanguage(
  report: UptimeReport,
  language: Language,
  rest: () => Promise<void>,
): Promise<UptimeReport> {
  if (language === 'en') return report
  const translated = new Map<string, string>()
  for (const { downtimes } of report.monitors)
    for (const { reason } of downtimes) {
      if (reason === null || translated.has(reason)) continue
      translated.set(reason, translate(reason, language))
      if (translated.size % AT_ONCE === 0) await rest()
    }
  return {
    ...report,
    monitors: report.monitors.map((monitor) => ({
      ...monitor,
      downtimes: monitor.downtimes.map((one) => ({
        ...one,
        reason: one.reason === null ? null : (translated.get(one.reason) ?? one.reason),
      })),
    })),
  }
}
