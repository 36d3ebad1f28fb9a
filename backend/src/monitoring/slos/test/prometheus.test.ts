import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BURN_ALERT_NAMES, BURN_ALERTS } from '@vedette/shared'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { isMissing } from '../../../../../scripts/test-tools.ts'
import { isWhole } from '../../../../test/deal.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { seedChecks, seedMonitor, seedRegion } from '../../../../test/seed-checks.ts'
import { parseId } from '../../../platform/ids.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { evaluateSlos } from '../index.ts'

const MINUTE = 60_000
const OBJECTIVE = 99
/** Several evaluations in each outage that alerts. */
const STEP_MINUTES = isWhole ? 5 : 10
const MINUTES = 82 * 60

// Some thousand checks are evaluated at a thousand instants.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 })

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

/** Mostly good, with outages of 3, 12 and 45 minutes, an hour of every third check, and a slow burn of a day. */
function isBad(minute: number): boolean {
  const hour = minute / 60
  if (hour >= 5 && hour < 5.05) return true
  if (hour >= 9 && hour < 9.2) return true
  if (hour >= 20 && hour < 20.75) return true
  if (hour >= 30 && hour < 31) return minute % 3 === 0
  if (hour >= 40 && hour < 64) return minute % 37 === 0
  return minute % 997 === 0
}

/** `<minute> <alert>` of every evaluation at which an alert is on. */
async function oursFiring(): Promise<string[]> {
  const organization = await backend.organization()
  const as = await backend.member(organization, 'owner')
  const region = await seedRegion(backend, 'ams')
  const monitor = await seedMonitor(backend, organization, 60)
  const startMs = Math.floor(backend.clock.now() / MINUTE) * MINUTE
  const body = { name: 'Shop', target: { id: monitor.id }, objective: OBJECTIVE }
  const made = await backend.call('POST', '/v1/slos', { as, body })
  const checks = Array.from({ length: MINUTES }, (_, minute) => ({
    region,
    atMs: startMs + minute * MINUTE,
    outcome: isBad(minute) ? 2 : 0,
    responseUs: null,
  }))
  await seedChecks(backend, organization, monitor.number, checks)
  const { db } = backend.pool
  const sloId = parseId('slo', made.body.id) as string
  const firing: string[] = []
  for (let minute = 0; minute < MINUTES; minute += STEP_MINUTES) {
    // Half a minute before, so that no check is exactly at the edge of a window: Prometheus 2 includes it, Prometheus 3 does not.
    const clock = { now: () => startMs + minute * MINUTE - MINUTE / 2, sleep: async () => undefined }
    await evaluateSlos({ db, clock, log: silentLog })
    const open = await db
      .selectFrom('open_incident')
      .innerJoin('alert_rule', 'alert_rule.id', 'open_incident.rule_id')
      .select('alert_rule.for_seconds')
      .where('open_incident.target_id', '=', sloId)
      .execute()
    for (const { for_seconds: seconds } of open)
      firing.push(`${minute} ${BURN_ALERT_NAMES.find((name) => BURN_ALERTS[name].longSeconds === seconds)}`)
  }
  return firing.toSorted()
}

/** A test of promtool that expects exactly these alerts at each evaluation. */
function toUnitTest(firing: readonly string[]): { rules: object; tests: object } {
  const isOn = new Set(firing)
  const share = (seconds: number) => `avg_over_time(check_bad[${seconds}s] offset 30s)`
  const rules = BURN_ALERT_NAMES.map((name) => {
    const { factor, longSeconds, shortSeconds } = BURN_ALERTS[name]
    const bound = `${factor} * ${(100 - OBJECTIVE) / 100}`
    return { alert: `burn_${name}`, expr: `${share(longSeconds)} > ${bound} and ${share(shortSeconds)} > ${bound}` }
  })
  const evaluations = Array.from({ length: MINUTES / STEP_MINUTES }, (_, index) => index * STEP_MINUTES)
  const series = Array.from({ length: MINUTES }, (_, minute) => (isBad(minute) ? 1 : 0))
  const tests = BURN_ALERT_NAMES.flatMap((name) =>
    evaluations.map((minute) => ({
      eval_time: `${minute}m`,
      alertname: `burn_${name}`,
      exp_alerts: isOn.has(`${minute} ${name}`) ? [{}] : [],
    })),
  )
  return {
    rules: { groups: [{ name: 'slo', interval: `${STEP_MINUTES}m`, rules }] },
    tests: {
      rule_files: ['rules.yml'],
      evaluation_interval: `${STEP_MINUTES}m`,
      tests: [{ interval: '1m', input_series: [{ series: 'check_bad', values: series.join(' ') }], alert_rule_test: tests }],
    },
  }
}

it.skipIf(isMissing('promtool'))(
  'burn-rate alerts are on at exactly the evaluations at which those of Prometheus are [SLO-04]',
  async () => {
    const firing = await oursFiring()
    for (const name of BURN_ALERT_NAMES) expect(firing.filter((one) => one.endsWith(name)).length).toBeGreaterThan(3)
    const folder = mkdtempSync(join(tmpdir(), 'vedette-slo-'))
    try {
      const run = (alerts: readonly string[]) => {
        const { rules, tests } = toUnitTest(alerts)
        // JSON is YAML.
        writeFileSync(join(folder, 'rules.yml'), JSON.stringify(rules))
        writeFileSync(join(folder, 'tests.yml'), JSON.stringify(tests))
        return spawnSync('promtool', ['test', 'rules', 'tests.yml'], { cwd: folder, encoding: 'utf8' })
      }
      const same = run(firing)
      expect([same.status, `${same.stdout}${same.stderr}`.slice(0, 2_000)]).toEqual([0, expect.stringContaining('SUCCESS')])
      // The comparison sees a difference of one evaluation.
      expect(run(firing.slice(1)).status).not.toBe(0)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)
