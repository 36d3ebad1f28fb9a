import { parseSettings } from '../../src/operating/settings/index.ts'
import { createAgent } from './agents.ts'
import { createGateway, type Fate } from './gateway.ts'
import { enterWorld } from './globals.ts'
import type { Instance } from './instance.ts'
import { createLeasedTask } from './leased.ts'
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

/** How much trouble there is next to the product's own work, as parts of all steps. */
const TROUBLES = { fate: 0.06, lostAnswer: 0.15, receiver: 0.3, kill: 0.01, pause: 0.02, cut: 0.01 }
const LEAP = 0.008
const FATES: readonly Fate[] = ['before', 'after', 'silent before', 'silent after', 'rolled back']
const [WILD_STEPS, QUIET_STEPS] = [240, 20]
const HOUR_MS = 3_600_000
/** Between the last rounds of all work: the new samples, all retries and hours, what follows from those. */
const ROUNDS_MS = [15_000, 2 * HOUR_MS, 90_000]

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
  // Some runs have no trouble at all: there each thing happens exactly once.
  let trouble = random.chance(0.1) ? 0 : random.fraction()
  const meets = (kind: keyof typeof TROUBLES) => random.chance(TROUBLES[kind] * trouble)
  let statements = 0
  const fateOf = (_owner: Process, text: string): Fate => {
    statements += 1
    const fate = meets('fate') ? random.pick(FATES) : 'none'
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
  const probes = scene.probes.map((probe) => createProbe(world, requests, probe, weather))
  const people = createPeople(world, requests, scene, sessions, agents)
  const pinger = createPinger(world, requests, scene.heartbeat)

  /** Somebody outside does something, or an instance begins some of its work. */
  async function act(canResolve: boolean): Promise<void> {
    const alive = processes.awake
    if (alive.length === 0) return
    const instance = random.pick(alive)
    const at = random.fraction()
    if (at < 0.16) random.pick(agents).act(instance)
    else if (at < 0.4) random.pick(probes).act(instance)
    else if (at < 0.44) pinger.act(instance)
    else if (at < 0.48) weather.set(random.pick(scene.probes).region, random.chance(0.5))
    else if (at < 0.54) await people.act(instance, canResolve)
    else processes.begin(instance, random.pick(Object.keys(instance.work)))
    await world.settle()
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
    if (random.chance(LEAP)) world.nowMs += random.below(90 * 60_000)
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

  /** One of them, or each, does all of its work, one after the other. */
  async function workOnce(workers: readonly Instance[]): Promise<void> {
    for (const instance of workers)
      for (const name of Object.keys(instance.work)) {
        processes.begin(instance, name)
        await rest()
      }
  }

  for (let count = 2 + random.below(2); count > 0; count -= 1) processes.start()
  await world.settle()
  for (let step = 0; step < WILD_STEPS; step += 1) await beWild()

  world.note('the trouble ends')
  trouble = 0
  for (const { owner } of processes.all) owner.isPaused = false
  await rest()
  // Longer than the server keeps the transaction of a client that it does not hear of any more.
  world.nowMs += 11 * 60_000
  await workOnce(processes.all.slice(0, 1))
  receiver.beQuiet()
  leased.beQuiet()
  world.note('it is quiet')
  for (let step = 0; step < QUIET_STEPS; step += 1) {
    await act(false)
    if (random.chance(0.6)) await empty()
    // No statement waits for longer than a moment.
    if (random.chance(0.5)) {
      await empty()
      world.advance(500)
    }
  }
  // A leap of the time is a pause of every process: none may have a request on its way, whose lease would end.
  receiver.beFast()
  for (let passedMs = 0; passedMs < LIMIT_MS; passedMs += 500) {
    await empty()
    world.advance(500)
  }
  await rest()
  world.note('the end')
  const [first] = processes.all
  if (!first) throw new Error('no instance is left')
  for (const agent of agents) await agent.sendRest(first, () => people.renew(first, agent), rest)
  world.nowMs += 90_000
  for (const agent of agents) await agent.sendLast(first, rest)
  for (const passedMs of ROUNDS_MS) {
    world.nowMs += passedMs
    // Each evaluates its share of the servers while the samples are new.
    await workOnce(passedMs === ROUNDS_MS[0] ? processes.all : [first])
  }
  if (world.failures.length > 0) throw world.failures[0]
  await checkAll({ scene, sessions, nowMs: world.nowMs, agents, probes, pinger, receiver })
  return { hash: world.hash, statements }
}
