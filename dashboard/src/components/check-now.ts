import type { MonitorDetails } from '@vedette/shared'
import { toast, toastProblem } from './toast.tsx'
import { checkNow as text } from '../messages/check-now.ts'
import { useCache, useViewer } from '../lib/api.ts'
import { statusName } from '../lib/status.ts'

const READ_EVERY_MS = 1_000
/** Beyond the timeout of the check: until a worker of the region takes it and its result is stored. */
const SPARE_MS = 15_000

type Checked = Pick<MonitorDetails, 'regions' | 'recent_checks'>

/** The regions without a newer check. */
export function regionsWithoutResult(before: Checked, after: Checked): string[] {
  const newest = ({ recent_checks }: Checked, region: string) =>
    recent_checks.find((check) => check.region === region)?.checked_at
  return (after.regions ?? []).filter((region) => newest(after, region) === newest(before, region))
}

/** Checks a monitor in all its regions, shows each result on its page as it comes, and says what the status is then. */
export function useCheckNow(): (monitorId: string) => Promise<void> {
  const { client } = useViewer()
  const cache = useCache()
  return async (monitorId) => {
    // Before the request: its answer may have the result already.
    const before = await client.monitors.read(monitorId)
    let after = await client.monitors.check(monitorId)
    const endsMs = performance.now() + (before.timeout ?? 0) * 1_000 + SPARE_MS
    while (regionsWithoutResult(before, after).length > 0 && performance.now() < endsMs) {
      await new Promise((resolve) => setTimeout(resolve, READ_EVERY_MS))
      after = await client.monitors.read(monitorId)
      cache.set(['monitors', monitorId], after)
    }
    const waiting = regionsWithoutResult(before, after)
    if (waiting.length > 0) toastProblem(text.waiting(after.name, waiting.join(', ')))
    else toast(text.done(after.name, statusName(after.status)))
    await cache.invalidate('monitors')
  }
}
