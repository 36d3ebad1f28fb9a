import { decodeId } from '../../src/platform/ids.ts'
import { readSamples } from '../../src/hosts/metrics/index.ts'
import type { Agent } from './agents.ts'
import type { People, Pinger } from './people.ts'
import type { Probe } from './probes.ts'
import type { Receiver } from './receiver.ts'
import { statusOf } from './reference.ts'
import type { Scene } from './scene.ts'
import type { Sessions } from './sessions.ts'

/** What the actors know at the end of a run, and what is stored. */
export interface End {
  scene: Scene
  sessions: Sessions
  nowMs: number
  agents: readonly Agent[]
  probes: readonly Probe[]
  people: People
  pinger: Pinger
  receiver: Receiver
}

/** Throws the first thing that does not hold. Everything that was due has been done. */
export async function checkAll(end: End): Promise<void> {
  await checkSamples(end)
  await checkChecks(end)
  await checkStatuses(end)
  await checkIncidents(end)
  await checkSteps(end)
  await checkNotifications(end)
  await checkOrder(end)
  await checkComments(end)
  await checkPings(end)
  await checkRests(end)
}

const fail = (what: string): never => {
  throw new Error(what)
}

/** No acknowledged sample is lost, and none stands twice or with another value, whether it was compacted or not. */
async function checkSamples({ scene: { backend, tenant }, sessions, agents }: End): Promise<void> {
  for (const { server, sent, acknowledged } of agents) {
    const key = { organization: tenant.number, number: server.number }
    const { read } = await readSamples(backend.pool.db, key, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER })
    const stored = new Map<number, number | null>()
    for await (const { atMs, valuesOf } of read()) {
      const values = valuesOf('cpu.percent')
      for (const [index, at] of atMs.entries()) {
        if (stored.has(at)) fail(`the sample of ${at} of server ${server.number} is there twice`)
        stored.set(at, values[index] as number | null)
      }
    }
    for (const [at, percent] of acknowledged)
      if (stored.get(at) !== percent) fail(`the sample of ${at} of server ${server.number} is ${stored.get(at)}, not ${percent}`)
    for (const at of stored.keys()) if (!sent.has(at)) fail(`nobody sent the sample of ${at} of server ${server.number}`)
  }
  const twice = await sessions.read<{ server: number; t0: number }>(
    'select server, t0 from metric_push group by server, t0 having count(*) > 1',
  )
  for (const { server, t0 } of twice) fail(`the push of ${t0} of server ${server} is stored twice`)
}

/** No accepted check is lost, and the hours count each once. */
async function checkChecks({ sessions, probes }: End): Promise<void> {
  const rows = await sessions.read<{ monitor: number; at: number }>('select monitor, at from check_result')
  const stored = new Set(rows.map(({ monitor, at }) => `${monitor} ${at}`))
  for (const check of probes.flatMap(({ accepted }) => accepted)) if (!stored.has(check)) fail(`the check ${check} is not stored`)
  const wrong = await sessions.read<{ monitor: number; hour: number; checks: number; raw: number }>(`
    select h.monitor, h.hour, h.checks, raw.n as raw from check_hour as h, lateral (
      select count(*)::int as n from check_result as r where r.monitor = h.monitor and r.region = h.region
        and r.at >= h.hour * 3600000::bigint and r.at < (h.hour + 1) * 3600000::bigint and r.outcome <> 3) as raw
    where h.checks <> raw.n`)
  for (const { monitor, hour, checks, raw } of wrong) fail(`hour ${hour} of monitor ${monitor} counts ${checks} checks of ${raw}`)
}

/** The status of each monitor follows from the checks that are stored, and each change follows the previous one. */
async function checkStatuses({ scene: { monitors, heartbeat }, sessions, probes }: End): Promise<void> {
  const all = [...monitors, { number: heartbeat.number, regions: ['local'], confirmations: 1 }]
  for (const { number, regions, confirmations } of all) {
    const [row] = await sessions.read<{ status: string }>('select status from monitor_status where monitor = $1', [number])
    const changes = await sessions.read<{ from_status: string; to_status: string }>(
      'select from_status, to_status from monitor_transition where monitor = $1 order by at, id',
      [number],
    )
    let before = 'up'
    for (const { from_status: from, to_status: to } of changes) {
      if (from !== before || from === to) fail(`monitor ${number} went from ${from} to ${to} after ${before}`)
      before = to
    }
    if (row?.status !== before) fail(`monitor ${number} is ${row?.status} after its last change to ${before}`)
    if (regions.length > 1) continue
    const checks = await sessions.read<{ at: number; outcome: number }>(
      'select at, outcome from check_result where monitor = $1 order by at',
      [number],
    )
    // A region that is heard of so late does not count.
    if (probes.some(({ late }) => late.has(`${number} ${checks.at(-1)?.at}`))) continue
    const recoveryChecks = number === heartbeat.number ? 1 : 2
    const expected = statusOf(
      checks.map(({ outcome }) => outcome),
      confirmations,
      recoveryChecks,
    )
    if (expected !== before) fail(`monitor ${number} is ${before}; its checks make it ${expected}`)
  }
}

/** What is down or over its threshold has exactly one open incident of each rule, and nothing else has one. */
async function checkIncidents({ scene, sessions, agents }: End): Promise<void> {
  const open = await sessions.read<{ rule_id: string; target_id: string }>('select rule_id, target_id from open_incident')
  const isOpen = (rule: string, target: string) => open.some(({ rule_id, target_id }) => rule_id === rule && target_id === target)
  const mustBe = (rule: string, target: string, expected: boolean) => {
    if (isOpen(rule, target) === expected) return
    const name = Object.entries(scene.rules).find(([, id]) => id === rule)?.[0]
    fail(`rule ${name} of ${target}: ${expected ? 'no incident is' : 'an incident is'} open`)
  }
  const statuses = await sessions.read<{ id: string; status: string; flaps: boolean }>(
    'select m.id, s.status, s.flapping_since is not null as flaps from monitor_status s join monitor m on m.number = s.monitor',
  )
  for (const { id, status, flaps } of statuses)
    if (!flaps) for (const rule of [scene.rules.monitorDown, scene.rules.slow]) mustBe(rule, id, status === 'down')
  for (const { server, isBusyAtLast } of agents) mustBe(scene.rules.cpu, server.uuid, isBusyAtLast)
  const both = await sessions.read(
    `select target_id from incident where status <> 'resolved' group by rule_id, target_id having count(*) > 1`,
  )
  if (both.length > 0) fail('two incidents of one rule and target are open')
  const unknown = await sessions.read<{ id: string }>(`
    select id from incident as i where status <> 'resolved'
      and not exists (select from open_incident as o where o.incident_id = i.id)`)
  for (const { id } of unknown) fail(`incident ${id} is open and nothing would resolve it`)
  const ends = await sessions.read<{ incident_id: string; opened: number; resolved: number; status: string }>(`
    select e.incident_id, count(*) filter (where type = 'opened')::int as opened,
      count(*) filter (where type = 'resolved')::int as resolved, min(i.status) as status
    from incident_event as e join incident as i on i.id = e.incident_id group by e.incident_id`)
  for (const { incident_id: id, opened, resolved, status } of ends)
    if (opened !== 1 || resolved !== (status === 'resolved' ? 1 : 0))
      fail(`incident ${id} opened ${opened}, resolved ${resolved} times`)
}

/**
 * The steps of a policy come one after the other, none is left out or taken twice, and each waits for its time. What is acknowledged
 * opens again after its own.
 */
async function checkSteps({ scene: { policy }, sessions, nowMs }: End): Promise<void> {
  const events = await sessions.read<{ incident_id: string; type: string; message: string; at: Date }>(`
    select incident_id, type, message, at from incident_event
    where type in ('opened', 'notified', 'acknowledged', 'reopened', 'resolved') order by incident_id, id`)
  let [incident, next, lastMs, isResting, acknowledgedMs] = ['', 0, 0, false, 0]
  for (const { incident_id: id, type, message, at } of events) {
    if (id !== incident) [incident, next, lastMs, isResting] = [id, 0, Number.NEGATIVE_INFINITY, false]
    if (type === 'acknowledged' || type === 'resolved') isResting = true
    if (type === 'acknowledged') acknowledgedMs = at.getTime()
    if (type === 'reopened' && at.getTime() < acknowledgedMs + policy.reopenMs) fail(`incident ${id} opened again too early`)
    if (type === 'reopened') [next, lastMs, isResting] = [0, Number.NEGATIVE_INFINITY, false]
    const step = /^step (\d+) of /.exec(message)?.[1]
    if (type !== 'notified' || step === undefined) continue
    if (isResting) fail(`incident ${id}: a step was taken though it rests`)
    if (Number(step) !== (next % policy.steps) + 1) fail(`incident ${id}: step ${step} in place of ${(next % policy.steps) + 1}`)
    if (at.getTime() < lastMs + policy.waitMs) fail(`incident ${id}: step ${step} came too early`)
    ;[next, lastMs] = [next + 1, at.getTime()]
    if (next > policy.steps * (policy.repeats + 1)) fail(`incident ${id}: more steps than the policy has`)
  }
  const late = await sessions.read<{ incident_id: string }>(
    `select o.incident_id from open_incident as o join incident as i on i.id = o.incident_id
     where escalation_due_at < $1 and not is_muted and not i.flapping`,
    [new Date(nowMs - 120_000)],
  )
  for (const { incident_id: id } of late) fail(`incident ${id}: a step is due that nobody takes`)
}

/** Each step reaches a channel as one notification, whose repeats have its id; without trouble there are no repeats. */
async function checkNotifications({ scene, sessions, receiver }: End): Promise<void> {
  const ids = new Map<string, string>()
  const seen = new Map<string, { isQuiet: boolean; count: number }>()
  for (const { id, url, type, incident, number, isQuiet } of receiver.receipts) {
    const about = `${url} ${type} ${incident} ${number ?? ''}`
    // After it was opened again an incident begins with its first step, and may be acknowledged again.
    if (number === undefined && type !== 'incident.acknowledged' && (ids.get(about) ?? id) !== id)
      fail(`two notifications of ${about}`)
    ids.set(about, id)
    const first = seen.get(id) ?? { isQuiet, count: 0 }
    seen.set(id, { ...first, count: first.count + 1 })
    if (first.isQuiet && first.count > 0) fail(`the notification ${about} was sent twice without trouble`)
  }
  const incidents = await sessions.read<{ id: string; status: string }>(
    `select id, status from incident where rule_id = $1 and not silenced`,
    [scene.rules.cpu],
  )
  const got = new Set(receiver.receipts.map(({ url, type, incident }) => `${url} ${type} ${decodeId('incident', incident)}`))
  for (const { id, status } of incidents)
    for (const { url } of scene.channels.slice(1))
      for (const type of ['incident.opened', ...(status === 'resolved' ? ['incident.resolved'] : [])])
        if (!got.has(`${url} ${type} ${id}`)) fail(`${url} has no ${type} of ${id}`)
}

/** Of one incident a channel gets a notification only after the earlier ones; their ids follow the order in which they were stored. */
async function checkOrder({ receiver }: End): Promise<void> {
  const newest = new Map<string, string>()
  const seen = new Set<string>()
  for (const { id, url, type, incident } of receiver.receipts) {
    if (seen.has(id)) continue
    seen.add(id)
    const about = `${url} ${incident}`
    if (id < (newest.get(about) ?? '')) fail(`the notification ${type} of ${about} came after a later one`)
    newest.set(about, id)
  }
}

/** No acknowledged comment is lost, and none is there twice. A request is recorded once in the audit log. */
async function checkComments({ sessions, people }: End): Promise<void> {
  const rows = await sessions.read<{ message: string; n: number }>(
    `select message, count(*)::int as n from incident_event where type = 'comment' group by message order by message`,
  )
  const stored = new Map(rows.map(({ message, n }) => [message, n]))
  for (const [text, isAcknowledged] of people.comments) {
    const count = stored.get(text) ?? 0
    if (count > 1 || (isAcknowledged && count === 0)) fail(`"${text}" is there ${count} times`)
  }
  const renewed = await sessions.read("select id from audit_event where action = 'server.token_regenerated'")
  if (renewed.length > people.renewals) fail(`${people.renewals} requests made ${renewed.length} new tokens`)
}

/** No acknowledged ping is lost, and none is there twice. */
async function checkPings({ sessions, pinger }: End): Promise<void> {
  const rows = await sessions.read<{ at: string }>('select at from ping')
  const stored = new Set(rows.map(({ at }) => new Date(at).getTime()))
  for (const at of pinger.acknowledged) if (!stored.has(at)) fail(`the ping of ${at} is not stored`)
  if (rows.length > pinger.sent.length) fail(`${pinger.sent.length} pings were sent, and ${rows.length} are stored`)
}

/** Nothing waits for ever. */
async function checkRests({ sessions, nowMs }: End): Promise<void> {
  const late = new Date(nowMs - 120_000)
  for (const table of ['alert_signal', 'notification_delivery', 'push_delivery']) {
    const rows = await sessions.read(`select id from ${table} where next_attempt_at < $1 or next_attempt_at is null`, [late])
    if (rows.length > 0) fail(`${rows.length} rows of ${table} are due and nobody takes them`)
  }
  const missed = await sessions.read('select monitor from heartbeat where deadline_at < $1', [late.getTime()])
  if (missed.length > 0) fail('a missed ping is not recorded')
}
