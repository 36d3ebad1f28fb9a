import { parseSettings } from '../../src/operating/settings/index.ts'
import { createAgent } from './agents.ts'
import { createGateway, type Fate } from './gateway.ts'
import { enterWorld } from './globals.ts'
import type { Instance, Work } from './instance.ts'
import { createLeasedTask } from './leased.ts'
import { drawMix, QUIET_WORKS, type Trouble } from './mix.ts'
import { checkAll } from './model.ts'
import { createPeople, createPinger } from './people.ts'
import { createProbe, type Weather } from './probes.ts'
import { createProcesses } from './processes.ts'
import { createIds } from './random.ts'
import { createReceiver, LIMIT_MS } from './receiver.ts'
import { createRequests } from './requests.ts'
import { ENVIRONMENT, type Scene } from './scene.ts'
import { seeded } from './seeded.ts'
import type { Sessions } from './sessions.ts'
import type { StoredScene } from './stored-scene.ts'
import { type Process, World } from './world.ts'

export interface Ground {
  scene: Scene
  stored: StoredScene
  sessions: Sessions
}

export interface RunResult {
  /** Of everything that happened. */
  hash: string
  statements: number
}

const FATES: readonly Fate[] = ['before', 'after', 'silent before', 'silent after', 'rolled back']
/** Nobody knows whether it was committed: that is what clients mistake. */
const COMMIT_FATES: readonly Fate[] = ['after', 'after', 'after', ...FATES]
/** Just before and after the ends of leases, intervals, steps, transactions at rest, hours, and that after which an hour is compacted. */
const LEAPS_MS = [4_000, 30_000, 60_000, 300_000, 660_000, 4_500_000]
/** In an hour and this time something is to be compacted. */
const LONG_LEAP_MS = 3_600_000
const [WILD_STEPS, QUIET_STEPS] = [150, 8]
const HOUR_MS = 3_600_000
/** Before the last rounds of work: the new samples, then all retries and hours, then what follows from those. */
const [SAMPLES_MS, RETRIES_MS, FOLLOWING_MS] = [15_000, 2 * HOUR_MS, 130_000]

/** One run of the world. Throws where something does not hold that must. `trace` gets each line of what happened. */
export async function run(seed: number, { scene, stored, sessions }: Ground, trace?: string[]): Promise<RunResult> {
  await sessions.reset()
  await stored.restore()
  const world = new World(seed, scene.backend.clock.now() + 60_000, trace)
  const leave = enterWorld(world)
  try {
    return await live(world, scene, sessions)
  } finally {
    seeded.now = undefined
    leave()
  }
}

async function live(world: World, scene: Scene, sessions: Sessions): Promise<RunResult> {
  const { random } = world
  const mix = drawMix(random)
  let isTroubled = false
  const meets = (kind: Trouble) => isTroubled && random.chance(mix.troubles[kind])
  let statements = 0
  const fateOf = (_owner: Process, text: string): Fate => {
    statements += 1
    const [kind, fates] = text === 'commit' ? (['commit', COMMIT_FATES] as const) : (['statement', FATES] as const)
    const fate = meets(kind) ? random.pick(fates) : 'none'
    return fate === 'rolled back' && /^(rollback|connect)/.test(text) ? 'none' : fate
  }
  const receiver = createReceiver(world, () => meets('receiver'))
  seeded.now = { ids: createIds(random, () => world.nowMs), random, send: receiver.send }
  const gateway = createGateway({ world, sessions, fateOf })
  const requests = createRequests(world, () => meets('lostAnswer'))
  const leased = createLeasedTask(world)
  const settings = parseSettings({ ...ENVIRONMENT, VEDETTE_LOG_LEVEL: 'silent' }, '/nowhere')
  const processes = createProcesses({ world, gateway, settings, leased }, requests)
  const agents = scene.servers.map((server) => createAgent(world, requests, server))
  const weather: Weather = new Map()
  const probes = scene.probes.map((probe) => createProbe(world, requests, probe, weather, mix.holds))
  const people = createPeople(world, requests, scene, sessions, agents)
  const pinger = createPinger(world, requests, scene.heartbeat)

  /** Somebody outside does something, or an instance begins some of its work. */
  async function act(isWild: boolean): Promise<void> {
    const alive = processes.awake
    if (alive.length === 0) return
    const instance = random.pick(alive)
    const actor = random.draw(mix.actors)
    if (actor === 'agent') random.pick(agents).act(instance)
    else if (actor === 'probe') random.pick(probes).act(instance)
    else if (actor === 'pinger') pinger.act(instance)
    else if (actor === 'weather') weather.set(random.pick(scene.probes).region, random.chance(0.4))
    else if (actor === 'person') await people.act(instance, isWild)
    else {
      const work = random.draw(isWild ? mix.works : QUIET_WORKS)
      for (const worker of random.chance(mix.together) ? alive : [instance]) processes.begin(worker, work)
    }
    await world.settle()
  }

  /** Moves the time to about the end of something. Longer than an hour: then that is compacted. */
  function leap(): void {
    const ms = random.pick(LEAPS_MS)
    world.nowMs += Math.floor(ms * (0.9 + 0.3 * random.fraction()))
    const [instance] = processes.awake
    if (instance && ms > LONG_LEAP_MS) for (const work of ['samples', 'checks'] as const) processes.begin(instance, work)
  }

  async function beWild(): Promise<void> {
    if (world.choices > 0 && random.chance(0.8)) return void (await world.happen())
    if (random.chance(0.35)) world.advance(1 + random.below(2_000))
    else await act(true)
    const alive = processes.awake
    if (alive.length > 0 && meets('kill')) processes.kill(random.pick(alive))
    if (alive.length > 0 && meets('cut')) gateway.cut(random.pick(alive).owner)
    if (alive.length > 1 && meets('pause')) random.pick(alive).owner.isPaused = true
    for (const { owner } of processes.all) if (owner.isPaused && random.chance(0.05)) owner.isPaused = false
    if (random.chance(mix.leaps)) leap()
    await world.settle()
    await world.happen()
  }

  /** All that can happen at this instant. */
  async function empty(): Promise<void> {
    await world.settle()
    for (let step = 0; await world.happen(); step += 1) if (step > 20_000) throw new Error('it does not come to rest')
  }

  /** Until all work is done that was begun. */
  async function rest(): Promise<void> {
    await empty()
    for (const beganMs = world.nowMs; processes.isBusy || requests.waiting > 0; await empty()) {
      const before = world.nowMs
      world.advance(60_000)
      if (world.nowMs === before || world.nowMs > beganMs + HOUR_MS) throw new Error('something waits for ever')
    }
  }

  /** Each does this work, one after the other. */
  async function workOnce(workers: readonly Instance[], works: readonly Work[]): Promise<void> {
    for (const instance of workers)
      for (const name of works) {
        processes.begin(instance, name)
        await rest()
      }
  }

  /** What is down or busy when the trouble begins has incidents whose steps are due. */
  async function openIncidents(): Promise<void> {
    await rest()
    for (const { region } of scene.probes) weather.set(region, random.chance(0.3))
    const [first] = processes.all
    if (!first) return
    for (const actor of [...agents, ...probes]) actor.act(first)
    await rest()
    for (const probe of probes) probe.act(first)
    await rest()
    await workOnce([first], ['signals', 'servers by rules'])
  }

  /** No statement waits for longer than a moment. Something is sent, and what takes longer than its lease meets others who look for it. */
  async function beQuiet(): Promise<void> {
    receiver.beQuiet()
    leased.beQuiet()
    world.note('it is quiet')
    for (const agent of agents) agent.act(random.pick(processes.all))
    await empty()
    await workOnce(processes.all, ['servers by rules'])
    for (let step = 0; step < QUIET_STEPS; step += 1) {
      await act(false)
      if (random.chance(0.6)) await empty()
      if (random.chance(0.5)) {
        await empty()
        world.advance(500)
      }
    }
    // A leap of the time is a pause of every process: none may have a request on its way, whose lease would end.
    receiver.beFast()
    for (let passedMs = 0; passedMs < LIMIT_MS; passedMs += 500) {
      if (random.chance(0.3)) processes.begin(random.pick(processes.all), random.pick(['deliveries', 'leased task']))
      await empty()
      world.advance(500)
    }
    await rest()
  }

  for (let count = 2 + random.below(2); count > 0; count -= 1) processes.start()
  await world.settle()
  if (random.chance(0.5)) await openIncidents()
  isTroubled = true
  for (let step = 0; step < WILD_STEPS; step += 1) await beWild()

  world.note('the trouble ends')
  isTroubled = false
  for (const { owner } of processes.all) owner.isPaused = false
  await rest()
  // Longer than the server keeps the transaction of a client that it does not hear of any more.
  world.nowMs += 11 * 60_000
  const [first] = processes.all
  if (!first) throw new Error('no instance is left')
  const works = (Object.keys(first.work) as Work[]).filter((name) => name !== 'leased task')
  await workOnce(
    [first],
    works.filter((name) => name !== 'samples' && name !== 'checks'),
  )
  await beQuiet()
  world.note('the end')
  for (const agent of agents) await agent.sendRest(first, () => people.renew(first, agent), rest)
  // In some runs one of them takes over what all had a share of.
  if (random.chance(0.7)) for (const { owner } of processes.all) owner.isPaused = owner !== first.owner
  world.nowMs += 90_000
  for (const agent of agents) await agent.sendLast(first, () => people.renew(first, agent), rest)
  world.nowMs += SAMPLES_MS
  // Each evaluates its share of the servers while the samples are new.
  await workOnce(processes.awake, ['servers by rules'])
  world.nowMs += RETRIES_MS
  await workOnce([first], works)
  // What begins with those: a missed ping, and the time for which a rule waits after it.
  world.nowMs += FOLLOWING_MS
  await workOnce([first], ['missed pings', 'signals', 'deliveries'])
  if (world.failures.length > 0) throw world.failures[0]
  await checkAll({ scene, sessions, nowMs: world.nowMs, agents, probes, people, pinger, receiver })
  return { hash: world.hash, statements }
}
